"""The servers of a store: connections, requests, and the server of each shard."""
