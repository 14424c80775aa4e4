"""The stubs, generated from the protos by scripts/generate."""
