"""Runs under Cachegrind and Callgrind."""
