"""What the user set, and what is installed."""
