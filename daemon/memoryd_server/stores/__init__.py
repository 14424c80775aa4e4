"""Implementations of the store port, and of snapshots and uploads as files."""
