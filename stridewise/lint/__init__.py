"""The source: compile commands in, findings out."""
