"""Runs that show where memory lies."""
