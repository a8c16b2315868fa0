"""GTK 3, where it draws the whole window."""
