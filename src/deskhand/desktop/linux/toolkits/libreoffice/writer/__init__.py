"""Whole tables of LibreOffice Writer documents, on one page or several."""
