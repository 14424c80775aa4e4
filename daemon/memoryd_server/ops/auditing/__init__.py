"""The audit log as a file."""
