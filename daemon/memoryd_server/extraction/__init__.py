"""What makes text of files, in processes of its own, and fetches them: ``ports.extraction``, ``ports.fetching``."""
