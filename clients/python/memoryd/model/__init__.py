"""The responses of the daemon as immutable dataclasses."""
