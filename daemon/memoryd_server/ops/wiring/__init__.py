"""The parts of a daemon, made as the settings ask for them."""
