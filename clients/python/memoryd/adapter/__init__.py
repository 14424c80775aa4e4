"""Parts that the adapters to agent frameworks share. No framework is imported here."""
