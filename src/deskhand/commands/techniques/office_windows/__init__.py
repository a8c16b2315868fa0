"""Documents of LibreOffice through its menus, keys and dialogs, where its own interface is not to be had."""
