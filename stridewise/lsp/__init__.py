"""stridewise lsp: the language server. docs/editors.md describes what it offers.

`features.py` and `server.py` speak the protocol, `engine.py` decides what is analysed when; the other modules know
nothing of either.
"""
