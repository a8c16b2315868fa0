"""Windows programs under Wine."""
