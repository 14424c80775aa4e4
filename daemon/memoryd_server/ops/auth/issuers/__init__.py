"""Issuers of tokens: JSON Web Tokens, verified by the keys of who issued them, and what their claims grant."""
