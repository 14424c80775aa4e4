"""The client for ordinary code, safe to share among threads: a thin shell around ``memoryd.protocol``."""
