"""EntityService and its messages."""
