"""The tokenizers of models. Implements ``ports.tokenization``."""
