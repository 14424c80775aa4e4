"""Agents in memory: loading, writing, publishing and listing them."""
