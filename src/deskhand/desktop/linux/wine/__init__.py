"""Windows programs under Wine: they are started in a prefix of the desktop, and a bridge exposes them over AT-SPI."""
