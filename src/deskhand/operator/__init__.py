"""OperatorAgent: an AppAgent whose decisions come from a vendor's computer-use loop."""
