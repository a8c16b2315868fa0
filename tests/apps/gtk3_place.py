"""Where a widget of GTK 3 is on the screen, for fixtures."""


def place_of(widget):
    """Left, top, right and bottom; nothing where it does not show."""
    if not widget.get_mapped():
        return [0, 0, 0, 0]
    window = widget.get_toplevel()
    _, left, top = window.get_window().get_origin()
    x, y = widget.translate_coordinates(window, 0, 0)
    size = widget.get_allocation()
    return [left + x, top + y, left + x + size.width, top + y + size.height]
