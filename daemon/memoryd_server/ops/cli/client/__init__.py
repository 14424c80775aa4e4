"""The calls of the commands: how they connect, and how a failure ends them."""
