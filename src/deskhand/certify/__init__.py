"""Certification of a playbook: it is run on simulated applications, with one fault at a time."""
