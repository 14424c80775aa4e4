"""The rows of issuers in the policy file::

    [issuers.sso]
    issuer = "https://sso.example/realms/agents"
    audience = "memoryd"
    keys = "https://sso.example/realms/agents/protocol/openid-connect/certs"
    rate = 50
    claims = { roles = ["realm_access", "roles"] }
    rules = [
      { agents = ["user-{sub}"] },
      { agents = ["shared-*"], verbs = ["read", "watch"], when = { roles = ["reader", "editor"] } },
    ]

A token is granted what each of the rules grants whose ``when`` it meets. ``claims`` names those that rules cannot name
as they are: by the keys that lead to them.
"""

import ipaddress
from collections.abc import Sequence
from typing import Annotated, Literal
from urllib.parse import urlsplit

import msgspec

from memoryd_server.ops.auth.field_type import Agents, Rate, Verbs
from memoryd_server.ops.auth.grant import GrantRow
from memoryd_server.ops.auth.issuers.agent_template import AgentTemplate, UnfitClaim
from memoryd_server.ops.auth.issuers.claims import Accepted, Claims
from memoryd_server.ops.limit import CLOCK_LEEWAY_S_MAX

Algorithm = Literal["RS256", "RS384", "RS512", "PS256", "PS384", "PS512", "ES256", "ES384", "ES512", "EdDSA"]
ClaimName = Annotated[str, msgspec.Meta(pattern="^[A-Za-z0-9_-]{1,64}$")]
Text = Annotated[str, msgspec.Meta(min_length=1)]


class RuleMatch(msgspec.Struct, frozen=True):
    """The grant of a rule to a token: nothing if ``row`` is None. ``problems`` say what it does not grant, and why."""

    number: int
    row: GrantRow | None
    problems: tuple[str, ...] = ()


class RuleRow(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """Verbs on agents, for tokens whose claims are among those in ``when``."""

    agents: Annotated[Agents, msgspec.Meta(min_length=1)]
    verbs: Verbs = ()
    when: dict[ClaimName, Annotated[tuple[Accepted, ...], msgspec.Meta(min_length=1)]] = {}

    def __post_init__(self) -> None:
        for agent in self.agents:
            AgentTemplate.of(agent)

    def match(self, number: int, claims: Claims) -> RuleMatch:
        """Return what the rule grants to a token with these claims."""
        unmet = tuple(
            f"claim {name} is none of {', '.join(map(str, accepted))}"
            for name, accepted in self.when.items()
            if not claims.has_one_of(name, accepted)
        )
        if unmet:
            return RuleMatch(number, None, unmet)
        patterns, problems = [], []
        for agent in self.agents:
            try:
                patterns.append(AgentTemplate.of(agent).filled(claims.value))
            except UnfitClaim as error:
                problems.append(f"{agent}: {error}")
        return RuleMatch(number, GrantRow.of(patterns, self.verbs) if patterns else None, tuple(problems))


class IssuerRow(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True, kw_only=True):
    """An issuer of tokens, where its keys are, and the rules for its tokens."""

    issuer: Text
    audience: Text | Annotated[tuple[Text, ...], msgspec.Meta(min_length=1)]
    keys: Text
    keys_ca_file: Text | None = None
    keys_token_file: Text | None = None
    algorithms: Annotated[tuple[Algorithm, ...], msgspec.Meta(min_length=1)] = ("RS256", "ES256")
    leeway: Annotated[int, msgspec.Meta(ge=0, le=CLOCK_LEEWAY_S_MAX)] = 30
    rate: Rate | None = None
    tier: str = ""
    claims: dict[ClaimName, Annotated[tuple[Text, ...], msgspec.Meta(min_length=1)]] = {}
    rules: Annotated[tuple[RuleRow, ...], msgspec.Meta(min_length=1)]

    def __post_init__(self) -> None:
        if not self.is_remote and not self.keys.startswith("/"):
            raise ValueError("keys must begin with https:// or be the absolute path of a file; http:// is for loopback")
        if not self.is_remote and (self.keys_ca_file or self.keys_token_file):
            raise ValueError("keys_ca_file and keys_token_file are for keys with a URL")
        # Raises ValueError for a port that is none.
        _ = urlsplit(self.keys).port

    @property
    def audiences(self) -> Sequence[str]:
        """The audiences, of which a token needs one."""
        return (self.audience,) if isinstance(self.audience, str) else self.audience

    @property
    def is_remote(self) -> bool:
        """True if the keys are at a URL that they may be read from, False for a file."""
        url = urlsplit(self.keys)
        if not url.hostname or url.username is not None:
            return False
        return url.scheme == "https" or (url.scheme == "http" and _is_loopback(url.hostname))

    def trusts_as(self, other: "IssuerRow") -> bool:
        """Return True if both accept the same tokens, whatever they grant to them."""
        return all(getattr(self, field) == getattr(other, field) for field in _TRUST)

    def matches(self, claims: Claims) -> list[RuleMatch]:
        """Return what each rule grants to a token with these claims."""
        return [rule.match(number, claims) for number, rule in enumerate(self.rules, 1)]


_TRUST = ("issuer", "audience", "keys", "keys_ca_file", "keys_token_file", "algorithms", "leeway")


def _is_loopback(host: str) -> bool:
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"
