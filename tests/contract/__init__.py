"""The patterns that all kinds of the wire contract share, checked over its descriptors."""
