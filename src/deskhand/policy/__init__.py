"""Rules to verdicts, verdicts to clearances (SPEC 4.6)."""
