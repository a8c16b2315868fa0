"""The effect of an action: expected, watched for, compared and judged (see docs/effects.md)."""
