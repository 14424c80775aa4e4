"""Sizes and durations of calls to model endpoints, and of the models within the daemon.

A constant's unit is in its name: BYTES, S (seconds), TOKENS, CHARACTERS; any other name counts what it names.
"""

# Endpoints.

RETRY_DELAY_S_MIN = 0.2
"""First pause before a request is retried. It doubles with each attempt."""
RETRY_DELAY_S_MAX = 10.0
"""Maximum pause before a request is retried."""
SUMMARY_ANSWER_BYTES_MAX = 1024 * 1024
"""Maximum size of a response with a summary: reasoning models may add their reasoning."""
PROPOSALS_ANSWER_BYTES_MAX = 256 * 1024
"""Maximum size of a response with proposals: ten times what those that are kept can have, and the model's reasoning."""
SUGGESTIONS_READ_MAX = 256
"""Maximum number of proposals in a response that are read. A model that has begun to repeat itself sends more."""
TOKENS_CHARGED_MAX = 1_000_000
"""Maximum number of tokens that an endpoint can charge for one request: it is taken for an error if it states more."""

# The embedder within the daemon.

EMBEDDED_TOKENS_MAX = 2_048
"""Maximum number of tokens of a text that are embedded."""
EMBEDDED_TEXTS_TOGETHER = 32
"""Maximum number of texts embedded on the event loop: they take a few milliseconds. More go to a thread."""
EMBEDDED_CHARACTERS_TOGETHER = 16_384
"""Maximum length of the texts embedded on the event loop."""
EMBEDDER_HEADER_BYTES_MAX = 1024 * 1024
"""Maximum size of the header of a model's file that is read to identify the model."""

# Token counts.

TOKEN_COUNTS_KEPT_MAX = 32_768
"""Maximum number of remembered counts: 7 MB, by tracemalloc."""
