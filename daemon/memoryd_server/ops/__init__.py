"""The daemon around the engine: settings, credentials, logging, metrics, and the command line."""
