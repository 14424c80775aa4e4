"""The client for threads, whose names ``memoryd`` offers. A thin shell around ``memoryd.protocol``."""
