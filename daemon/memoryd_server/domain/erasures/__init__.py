"""Erasures: the records of users who are being forgotten, until nothing of them is left in the journal."""
