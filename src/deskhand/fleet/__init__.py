"""Tasks on the nodes of a Ray cluster: desktops of other machines, offered as the resource `deskhand_desktop`."""
