"""A moment as a person types it: a date, a time, or an age such as 7d."""

from datetime import UTC, datetime, timedelta

from memoryd_server.ops.config.quantity import parse_duration
from memoryd_server.ops.config.setting_type import SettingType


def parse_moment(text: str) -> datetime:
    """Return the moment in UTC. Text without a zone is local time. Raises ValueError with the problem."""
    try:
        return datetime.fromisoformat(text).astimezone(UTC)
    except (ValueError, OverflowError):
        pass
    try:
        return datetime.now(UTC) - timedelta(seconds=parse_duration(text))
    except ValueError:
        described = "a date such as 2026-05-20, a time such as 2026-05-20T14:30, or an age such as 90m or 7d"
        raise ValueError(f"{text!r} is not {described}") from None


NEVER = datetime.max.replace(tzinfo=UTC)
"""The moment that ``never`` stands for."""


def parse_expiry(text: str) -> datetime:
    """Return a moment in the future, in UTC. Text without a zone is local time. Raises ValueError with the problem."""
    if text.lower() == "never":
        return NEVER
    now = datetime.now(UTC)
    try:
        moment = datetime.fromisoformat(text).astimezone(UTC)
    except (ValueError, OverflowError):
        try:
            moment = now + timedelta(seconds=parse_duration(text))
        except (ValueError, OverflowError):
            described = "a date such as 2026-05-20, a time such as 2026-05-20T14:30, a duration such as 90d, or never"
            raise ValueError(f"{text!r} is not {described}") from None
    if moment <= now:
        raise ValueError(f"{text!r} is not in the future")
    return moment.replace(microsecond=0)


EXPIRY = SettingType("MOMENT", parse_expiry)
MOMENT = SettingType("MOMENT", parse_moment)
