"""Saves the document of the one window of a LibreOffice with a password: `python3 give_password.py ACCEPT`.

`ACCEPT`: a connection that it accepts.
"""

import os
import sys
from importlib import import_module
from typing import Any

uno: Any = import_module("uno")
Property: Any = uno.getClass("com.sun.star.beans.PropertyValue")
local = uno.getComponentContext()
resolver = local.ServiceManager.createInstanceWithContext("com.sun.star.bridge.UnoUrlResolver", local)
context = resolver.resolve(f"uno:{sys.argv[1]}StarOffice.ComponentContext")
desktop = context.ServiceManager.createInstanceWithContext("com.sun.star.frame.Desktop", context)
document = desktop.Components.createEnumeration().nextElement()
document.storeAsURL(document.URL, (Property("Password", 0, "abc", 0),))
# Python's end with an open connection has died in LibreOffice 7.4's library, after the document was saved.
os._exit(0)
