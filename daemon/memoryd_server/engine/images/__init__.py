"""Snapshots, and the migration from one store to another."""
