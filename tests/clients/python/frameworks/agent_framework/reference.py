"""The framework's own history in memory, which the contract is checked for as well."""

from importlib.metadata import version

HISTORIES = ["memoryd"]
# Older ones store what is replayed once more.
if tuple(map(int, version("agent-framework-core").split(".")[:2])) >= (1, 23):
    HISTORIES.append("in-memory")
