"""What deploy/ and the Dockerfile have is linted, rendered and run by real tools."""
