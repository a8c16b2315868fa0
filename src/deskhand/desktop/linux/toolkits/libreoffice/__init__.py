"""LibreOffice: its own drawing inside of GTK 3."""
