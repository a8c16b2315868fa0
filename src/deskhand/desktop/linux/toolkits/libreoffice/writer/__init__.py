"""Whole tables of LibreOffice Writer documents, however they lie over pages."""
