"""Who may call: tokens and certificates bound to agents, and what TCP is encrypted with."""
