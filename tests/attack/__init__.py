"""Attacks on a daemon in a process of its own, while a bystander makes calls: what these cost the bystander.

``scripts/attack`` runs them and writes the figures of docs/reliability.md; ``test_attacks.py`` runs them small.
"""
