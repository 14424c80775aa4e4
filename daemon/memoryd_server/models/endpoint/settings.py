"""What an operator says about an endpoint, whatever is asked of it."""

from pathlib import Path

import msgspec


class EndpointSettings(msgspec.Struct, frozen=True, kw_only=True):
    """An endpoint that speaks one of OpenAI's APIs. Lengths of time are in seconds.

    ``base_url`` is what comes before the API's own path, such as ``http://127.0.0.1:11434/v1``.

    The key is read from ``api_key_file``, else from the environment; without either, none is sent. It goes to no other
    machine without https, unless ``insecure``. ``requests_max`` are made at a time. ``timeout`` is for one attempt, of
    which there are one and ``retries``; an endpoint that asks to wait longer than ``retry_wait_max`` is unavailable.
    After ``failures_max`` failures in a row it is left alone for ``rest``.
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
