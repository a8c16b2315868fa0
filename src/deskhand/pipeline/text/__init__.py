"""An agent whose observation is a text."""
