"""The ShellAgent's strategies: its observation is its folder and what the last command printed."""
