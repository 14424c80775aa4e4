"""Extraction of text from files, in separate processes, and downloads: ``ports.extraction``, ``ports.fetching``."""
