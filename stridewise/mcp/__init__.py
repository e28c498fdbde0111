"""`stridewise mcp`: findings, pages and measured patches for programs that speak the Model Context Protocol.

tools    what is answered, without the protocol
server   the protocol, by the official Python SDK
"""
