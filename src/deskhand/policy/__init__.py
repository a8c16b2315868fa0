"""Rules, verdicts and clearances (contract 4.6)."""
