"""The refusal of keywords and keys that there are not, such as a misspelt one, which must not count as left out."""

import inspect
from collections.abc import Callable, Collection, Iterable
from difflib import get_close_matches
from functools import wraps
from typing import Any, TypeVar, Unpack, get_args, get_origin

Class = TypeVar("Class", bound=type)


def checks_keywords(cls: Class) -> Class:
    """Have each method with ``**options: Unpack[...]`` raise TypeError for a keyword that it does not have.

    By itself Python takes any keyword there: only a type checker reads the annotation.
    """
    for name, function in list(vars(cls).items()):
        if inspect.isfunction(function) and (known := _keywords_of(function)):
            setattr(cls, name, _checked(function, known))
    return cls


def check_keys(given: Iterable[str], known: Collection[str], what: str) -> None:
    """Raise TypeError for a key that is not known, with the nearest one that is."""
    for key in given:
        if key not in known:
            nearest = get_close_matches(key, known, n=1)
            hint = f"did you mean {nearest[0]!r}?" if nearest else f"use {', '.join(sorted(known))}"
            raise TypeError(f"{key!r} is no {what}: {hint}")


def keys_of(options: Any) -> frozenset[str]:
    """Return the keys of a TypedDict."""
    keys: frozenset[str] = options.__required_keys__ | options.__optional_keys__
    return keys


def _keywords_of(function: Callable[..., Any]) -> frozenset[str]:
    """Return the keywords of a function that takes some as a TypedDict; none for any other function."""
    parameters = inspect.signature(function).parameters.values()
    unpacked = [each.annotation for each in parameters if get_origin(each.annotation) is Unpack]
    if not unpacked:
        return frozenset()
    named = {each.name for each in parameters if each.kind in (each.POSITIONAL_OR_KEYWORD, each.KEYWORD_ONLY)}
    [options] = get_args(unpacked[0])
    return keys_of(options) | named


def _checked(function: Callable[..., Any], known: Collection[str]) -> Callable[..., Any]:
    what = f"argument of {function.__qualname__}()"
    if inspect.iscoroutinefunction(function):

        @wraps(function)
        async def awaited(*arguments: Any, **keywords: Any) -> Any:
            check_keys(keywords, known, what)
            return await function(*arguments, **keywords)

        return awaited

    @wraps(function)
    def called(*arguments: Any, **keywords: Any) -> Any:
        check_keys(keywords, known, what)
        return function(*arguments, **keywords)

    return called
