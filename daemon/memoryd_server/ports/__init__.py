"""What the engine needs of the world; each port has its adapters elsewhere."""
