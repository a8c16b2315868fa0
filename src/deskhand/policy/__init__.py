"""Rules to verdicts, verdicts to clearances (contract 4.6)."""
