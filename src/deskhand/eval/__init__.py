"""Evaluation: suites of tasks, their trials and figures; checkers examine the result, never an agent's claims."""
