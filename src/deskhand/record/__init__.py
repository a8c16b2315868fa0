"""Recording of a user's work on a desktop as a playbook."""
