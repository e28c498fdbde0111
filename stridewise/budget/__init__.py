"""Budgets: counts of a program that depend on neither time nor scheduling, kept in a file and compared with a run's."""
