"""The daemon's settings: what there are, where their values come from, and which are refused."""
