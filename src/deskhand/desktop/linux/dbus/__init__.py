"""Our own D-Bus client: many small calls at once, answered as they come."""
