"""The Linux backend: accessibility over D-Bus, windows, input and pictures over X11."""
