"""AgentService."""
