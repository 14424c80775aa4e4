"""Where memory is kept: implementations of the store port, and snapshots in files."""
