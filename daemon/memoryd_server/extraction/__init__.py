"""What makes text of files, in processes of its own. Implements ``ports.extraction``."""
