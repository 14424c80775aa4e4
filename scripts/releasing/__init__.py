"""Builds what a release consists of, and publishes nothing: see docs/contributing/releasing.md."""
