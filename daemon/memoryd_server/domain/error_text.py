"""Words and metadata of errors that several of them share."""


def amount(limit: str, value: float) -> str:
    """Return the value of a limit with its unit."""
    return f"{value:,} bytes" if "bytes" in limit.split("_") else f"{value:,}"


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
