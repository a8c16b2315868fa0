"""The HostAgent's strategies (contract 3.3)."""
