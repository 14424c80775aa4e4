"""The kit's own services in memory, which the contract is checked for as well."""

from importlib.metadata import version

SERVICES = ["memoryd"]
# Older ones delete no memory, append what was appended, and list in another order.
if tuple(map(int, version("google-adk").split(".")[:2])) >= (2, 13):
    SERVICES.append("in-memory")
