"""Serving a desktop to other programs: the MCP server."""
