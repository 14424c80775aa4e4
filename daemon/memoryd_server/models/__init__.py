"""Clients of models, and models that run in the process: embedding, summarizing, proposing, tokenization."""
