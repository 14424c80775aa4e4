"""Erasure: what was purged, and what was a forgotten user's, leaves the journal before the call returns."""
