"""How counts grow with the number of ranks, found by runs on a few: laws, prices at a target, budgets of counts."""
