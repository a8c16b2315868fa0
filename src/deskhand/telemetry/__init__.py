"""Spans and metrics of sessions, made from their events for OpenTelemetry (ADR 0132)."""
