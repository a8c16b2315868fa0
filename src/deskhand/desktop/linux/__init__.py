"""The Linux backend: private virtual desktops, AT-SPI and X11."""
