"""The embedded store: one SQLite file in the data directory, one writer thread, group commit across agents.

``store`` implements the port; ``writer`` owns the only connection that writes; ``reader`` runs queries on a small pool
of connections. ``mark`` records, outside of the database, the last acknowledged generation, so that a lost tail of the
database is detected.
"""
