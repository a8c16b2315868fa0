"""The AppAgent's strategies (contract 3.2)."""
