"""stridewise review: what a change of the source costs, said on the lines of the change."""
