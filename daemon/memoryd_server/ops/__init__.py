"""What makes a daemon out of the engine: settings, credentials, logging, telemetry, the command."""
