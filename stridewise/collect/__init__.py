"""Readers of what compilers, builds and runs leave behind."""
