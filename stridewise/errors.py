"""Errors that a person reads."""

from __future__ import annotations


class Failure(Exception):
    """The work cannot be done. The text is one lower-case sentence: what, where, what to do."""
