"""Stridewise: a performance advisor for HPC code."""

__version__ = "0.1.0"
CONFIG_FILE = ".stridewise.toml"
