"""The ``memoryd`` command."""
