"""Encoding and decoding of fields that many messages share: times, values, expiry, importance, pages."""
