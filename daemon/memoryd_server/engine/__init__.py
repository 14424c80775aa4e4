"""The use cases: asynchronous, over the ports, with the domain for every decision."""
