"""Runs of OpenMP programs, by OMPT."""
