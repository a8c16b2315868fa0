"""Processes and desktops: starting, finding, attaching to and ending them."""
