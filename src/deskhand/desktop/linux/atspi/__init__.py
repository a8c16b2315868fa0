"""Accessibility (AT-SPI) over D-Bus: seeing controls and acting on them."""
