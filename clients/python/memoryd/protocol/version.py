"""The version of this package, which every call names to the daemon."""

VERSION = "0.1.0"
