"""Names of agents, keys and records: short ids, completion, and near names."""
