"""Saved indexes: what took long to compute, in a form that is quickly loaded."""
