"""Texts of a picture, read by models that run here: for windows that expose nothing to accessibility."""
