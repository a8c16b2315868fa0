"""The HostAgent's strategies (SPEC 3.3)."""
