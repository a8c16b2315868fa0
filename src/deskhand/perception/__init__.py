"""What was seen, prepared for who decides: labels, annotated pictures, merged groundings, compact lists.

Nothing here captures: everything is given pixels and controls.
"""
