"""Runs of MPI programs, by their profiling interface."""
