"""Tokenizers: how models cut texts. Implements ``ports.tokenization``."""
