"""The proposer of memories by a model. Implements ``ports.proposing``."""
