"""``memoryd mcp``: an agent's memory for hosts that speak the Model Context Protocol."""
