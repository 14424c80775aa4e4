"""Data in every format that a released memoryd has written: `python -m tests.formats` writes it, tests read it."""
