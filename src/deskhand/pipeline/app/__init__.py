"""The AppAgent's strategies (SPEC 3.2)."""
