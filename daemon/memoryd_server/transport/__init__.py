"""The services of the contract: they decode a request, call the engine, and encode the response."""
