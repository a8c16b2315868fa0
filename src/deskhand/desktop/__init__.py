"""Desktops: observe, act, launch, settle. `protocols` is the contract of every backend; no other room touches an OS."""
