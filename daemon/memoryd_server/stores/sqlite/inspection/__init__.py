"""The inspection of damaged files: what of them is whole."""
