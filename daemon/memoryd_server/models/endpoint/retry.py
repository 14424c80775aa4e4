"""The HTTP statuses after which a request is retried, and the delays before retries."""

from collections.abc import Mapping
from datetime import datetime
from email.utils import parsedate_to_datetime

from memoryd_server.models.limit import RETRY_DELAY_S_MAX, RETRY_DELAY_S_MIN

_BAD_REQUEST = 400
_REQUEST_TIMEOUT = 408
_CONTENT_TOO_LARGE = 413
_UNPROCESSABLE_CONTENT = 422
_TOO_MANY_REQUESTS = 429


def is_transient(status: int) -> bool:
    """Return True if the same request may succeed shortly after this HTTP status."""
    return status in (_REQUEST_TIMEOUT, _TOO_MANY_REQUESTS) or 500 <= status <= 599


def is_about_the_request(status: int) -> bool:
    """Return True if this HTTP status may be due to the request's content, so that another request may succeed."""
    return status in (_BAD_REQUEST, _CONTENT_TOO_LARGE, _UNPROCESSABLE_CONTENT)


def delay_s(retry: int, chance: float) -> float:
    """Return the delay before a retry, the first of which is 0. It doubles with each retry, up to RETRY_DELAY_S_MAX.

    ``chance``, from 0 to 1, shortens it by up to half, so that clients that failed together retry at different times.
    """
    return min(RETRY_DELAY_S_MIN * 2.0**retry, RETRY_DELAY_S_MAX) * (1 - chance / 2)


def requested_delay_s(headers: Mapping[str, str]) -> float | None:
    """Return the delay that the endpoint requests (Retry-After), at least 0; None if it requests none.

    ``headers`` must ignore the case of names. A date is compared with the response's own Date, so that the clocks need
    not agree.
    """
    wish = headers.get("Retry-After", "").strip()
    if wish.isascii() and wish.isdecimal():
        return float(wish)
    until, now = _time(wish), _time(headers.get("Date", ""))
    if until is None or now is None:
        return None
    return max((until - now).total_seconds(), 0.0)


def _time(text: str) -> datetime | None:
    try:
        time = parsedate_to_datetime(text)
    except ValueError:
        return None
    # HTTP dates must state GMT. A date without a zone cannot be compared.
    return None if time.tzinfo is None else time
