"""The settings of an endpoint that all its uses share."""

from pathlib import Path

import msgspec


class EndpointSettings(msgspec.Struct, frozen=True, kw_only=True):
    """An endpoint with one of OpenAI's APIs. Durations are in seconds.

    ``base_url`` is the URL without the API's own path, such as ``http://127.0.0.1:11434/v1``.

    The key is read from ``api_key_file``, else from the environment; if neither has one, none is sent. Unless
    ``insecure`` is true, it is never sent to another machine without https. At most ``requests_max`` requests are made
    at a time. ``timeout`` limits one attempt; a request has at most ``1 + retries`` attempts. An endpoint that requests
    a longer delay than ``retry_wait_max`` is unavailable. After ``failures_max`` failures in a row, requests are paused
    for ``rest``.
    """

    base_url: str
    model: str
    api_key_file: Path | None = None
    insecure: bool = False
    requests_max: int = 2
    timeout: float = 10.0
    retries: int = 3
    retry_wait_max: float = 30.0
    failures_max: int = 5
    rest: float = 30.0
