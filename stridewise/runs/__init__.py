"""The runs: watching them, and reading what they left. One folder for each way to watch."""
