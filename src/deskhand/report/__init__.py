"""Reports of a session, made from its journal and pictures alone: a JSON summary, a page, a short Markdown text."""
