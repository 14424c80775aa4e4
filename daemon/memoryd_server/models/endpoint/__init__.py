"""The HTTP client of model endpoints, which embedding and summarizing share."""
