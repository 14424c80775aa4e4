"""Templates of agents: patterns into which claims of a token are put, such as ``user-{sub}``."""

import re
from collections.abc import Callable

import msgspec

from memoryd_server.domain.values.agent_pattern import WILDCARD, check_pattern

_PLACEHOLDER = re.compile(r"\{([A-Za-z0-9_-]{1,64})\}")


class UnfitClaim(Exception):  # noqa: N818 - an expected outcome
    """A claim of the token cannot be put into a template. The message does not quote its value."""


class AgentTemplate(msgspec.Struct, frozen=True):
    """A pattern of agents with placeholders. ``of`` makes it.

    ``literals`` are the texts around the placeholders: one more than there are ``claims``, which are their names.
    """

    text: str
    literals: tuple[str, ...]
    claims: tuple[str, ...]

    @classmethod
    def of(cls, text: str) -> "AgentTemplate":
        """Return a template. Raises ValueError for one that is malformed, or could match more than it seems."""
        parts = _PLACEHOLDER.split(text)
        literals, claims = tuple(parts[::2]), tuple(parts[1::2])
        if any(brace in literal for literal in literals for brace in "{}"):
            raise ValueError(f"{text!r} has a brace that is not of a claim, such as in user-{{sub}}")
        check_pattern("x".join(literals))
        inner = literals[1:-1] if claims else ()
        if "" in inner or (claims and literals[-1] == WILDCARD):
            # Otherwise team-{team}* would match the agents of a team whose name only begins alike.
            raise ValueError(f"{text!r} needs a separator after each claim, such as in team-{{team}}-*")
        return cls(text, literals, claims)

    def filled(self, value_of: Callable[[str], object]) -> str:
        """Return the pattern with the values of the claims. Raises UnfitClaim.

        A value is a text that has neither ``*`` nor the character that follows it in the template: so the patterns of
        two values never match an agent in common, unless they are the same.
        """
        filled = [self.literals[0]]
        for name, literal in zip(self.claims, self.literals[1:], strict=True):
            filled += _checked(name, value_of(name), WILDCARD + literal[:1]), literal
        try:
            return check_pattern("".join(filled))
        except ValueError:
            raise UnfitClaim(f"claim {' and '.join(self.claims)} makes an agent's id that is too long") from None


def _checked(name: str, value: object, excluded: str) -> str:
    if value is None:
        raise UnfitClaim(f"there is no claim {name}")
    if not isinstance(value, str) or not value.strip() or not value.isprintable():
        raise UnfitClaim(f"claim {name} is not a text that an agent's id may have in it")
    found = sorted(each for each in set(excluded) if each in value)
    if found:
        raise UnfitClaim(f"claim {name} has {' and '.join(found)} in it, which the template excludes")
    return value
