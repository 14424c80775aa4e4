"""The interfaces through which the engine uses stores, models and files. Their adapters are in other packages."""
