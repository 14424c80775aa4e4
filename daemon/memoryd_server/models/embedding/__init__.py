"""Embedders: a static table that is in the distribution, or any other one, and endpoints that are asked over HTTP."""
