"""One and the same work for memoryd and other stores, each in an environment of its own."""
