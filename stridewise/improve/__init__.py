"""`stridewise improve`: mends a copy of a program step by step, keeps what is measured to help, shows the waterfall.

settings    what the user asked for
tree        copies of the project in which everything happens; one commit for each step
outcome     what a run of the program left behind, and whether two such results are the same
timing      rounds of before and after, until the ratio is known
analysing   lint and watched runs of the program as it is now
recipes     edits for findings that carry no fix of their own
loop        the steps: choose, apply, build, compare, measure, keep or undo
waterfall   the steps as text, JSON and HTML
"""
