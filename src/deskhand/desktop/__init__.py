"""Desktops: see, touch, launch, settle. `base.py` says what every backend does; no other room touches an OS."""
