"""Working memory: entries in nested scopes, and reservations of keys."""
