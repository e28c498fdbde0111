"""Runs that show false sharing."""
