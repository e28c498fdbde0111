"""What a machine costs: measured, written down, or from models."""
