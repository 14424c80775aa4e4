"""The HTTP client of model endpoints, which embedding, summarizing and proposing share."""
