"""Run-time detectors, one module per rule: see docs/architecture.md."""
