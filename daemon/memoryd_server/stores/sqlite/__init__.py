"""The embedded store: one SQLite file in the data directory, one writer thread, group commit across agents.

``store`` implements the port; ``writer`` owns the only connection that writes; ``reader`` answers from a small pool of
connections. ``mark`` remembers, outside of the database, how far it was acknowledged, so that a lost tail is noticed.
"""
