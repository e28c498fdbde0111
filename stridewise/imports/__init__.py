"""Recordings of other tools as run folders of ours: the same merge, the same patterns, the same report."""
