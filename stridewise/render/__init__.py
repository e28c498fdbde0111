"""Renderers: a report in, text out. They know no rule."""
