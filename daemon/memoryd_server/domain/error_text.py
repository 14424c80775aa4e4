"""Words and metadata of errors that several of them share."""


def amount(limit: str, value: float) -> str:
    """Return the value of a limit with its unit."""
    return f"{value:,} bytes" if "bytes" in limit.split("_") else f"{value:,}"


def larger_than(limit: str, value: float) -> str:
    """Return the message about what a limit does not allow at once."""
    allowed = f"is larger than limit {limit} allows, {amount(limit, value)}"
    return f"the request, or the response to it, {allowed}: send or ask for less at a time"


def given(record_id: str, place: dict[str, str]) -> dict[str, str]:
    """Return the metadata that name a record, as far as a caller named it."""
    filled = {name: value for name, value in place.items() if value}
    return {"record_id": record_id, **filled} if record_id or not filled else filled


def named(kind: str, record_id: str, place: dict[str, str]) -> str:
    """Return the words for a record, which a caller named by its id or by its place."""
    word = kind.replace("_", " ")
    if record_id or not place:
        return f"{word} {record_id!r}"
    name, value = next(iter(place.items()))
    return f"{word} named {value!r}" if name == "name" else f"{word} of {name.removesuffix('_id')} {value!r}"


def named_agents(agent_id: str) -> str:
    """Name an agent, or the agents that a pattern matches; for an empty id all, where a call names none."""
    if agent_id.endswith("*"):
        which = "" if agent_id == "*" else f" of {agent_id!r}"
        return f"all agents{which}: name agents that it may use in a filter"
    return f"agent {agent_id!r}" if agent_id else "all agents, which the call is about"


ADVICE_FOR_OLD_DATA = "use the memoryd that wrote it, or start with an empty data directory"
