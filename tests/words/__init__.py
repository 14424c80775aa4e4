"""The words of docs/style.md, checked. ``python -m tests.words PATH...`` prints what is wrong below paths."""
