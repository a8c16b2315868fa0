"""Windows compared with a reference: roles, names, values, states and places; pixels where nothing is exposed."""
