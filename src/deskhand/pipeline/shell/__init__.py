"""The ShellAgent's strategies; its observation is a folder and the output of the last command."""
