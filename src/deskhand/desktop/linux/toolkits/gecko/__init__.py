"""Gecko: Firefox and Thunderbird."""
