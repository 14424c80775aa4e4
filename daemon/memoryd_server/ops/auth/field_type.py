"""The types of the policy file's fields."""

from datetime import datetime
from typing import Annotated

import msgspec

from memoryd_server.ops.limit import CALLS_PER_SECOND_MAX, CALLS_PER_SECOND_MIN
from memoryd_server.ports.auth import Verb

NAME_PATTERN = "^[A-Za-z0-9_.-]{1,64}$"

Name = Annotated[str, msgspec.Meta(pattern=NAME_PATTERN)]
Moment = Annotated[datetime, msgspec.Meta(tz=True)]
Agents = tuple[str, ...]
Verbs = tuple[Verb, ...]
Rate = Annotated[float, msgspec.Meta(ge=CALLS_PER_SECOND_MIN, le=CALLS_PER_SECOND_MAX)]
