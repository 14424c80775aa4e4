"""Authentication by tokens and certificates, and TLS."""
