"""Use cases of working memory."""
