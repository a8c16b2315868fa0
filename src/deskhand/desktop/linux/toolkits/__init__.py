"""Knowledge about one toolkit each, in a room of its own; `wiring` alone imports them."""
