"""How conversations are summed up: implements ``ports.summarizing``."""
