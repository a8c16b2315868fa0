"""MiniWoB++: small web pages that reward actions. Their package brings the pages, and they are served here."""
