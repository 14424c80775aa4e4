"""Callers of issuers' tokens, by the authenticator that has a policy with issuers."""

import logging
import time
from typing import Any

import jwt
import pytest
from tests.issuer import AUDIENCE, ISSUER, TokenIssuer

from memoryd_server.domain.error import Overloaded, Unauthenticated
from memoryd_server.ops.auth.authenticator import PolicyAuthenticator
from memoryd_server.ops.auth.issuers import issued_callers
from memoryd_server.ops.auth.issuers.issuer_row import IssuerRow, RuleRow
from memoryd_server.ops.auth.issuers.key_set import KeySet
from memoryd_server.ops.auth.issuers.live_keys import KeysPending, LiveKeys
from memoryd_server.ops.auth.policy_file import Policy, TokenRow, hash_token
from memoryd_server.ops.auth.telemetry import AuthenticationTelemetry
from memoryd_server.ops.limit import ISSUED_TOKENS_VERIFIED_MAX, TOKEN_VERIFICATIONS_PER_SECOND
from memoryd_server.ports.auth import Caller, Verb

TOKENS = TokenIssuer()
KEYS = KeySet.parse(TOKENS.key_set(), ("RS256", "ES256"))
RULES = (RuleRow(agents=("user-{sub}",)), RuleRow(agents=("shared-*",), verbs=(Verb.READ,), when={"role": ("x",)}))


def row(**fields: Any) -> IssuerRow:
    return IssuerRow(**{"issuer": ISSUER, "audience": AUDIENCE, "keys": "/keys", "rules": RULES} | fields)


class World:
    """An authenticator with an issuer, whose keys are read."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.keys: KeySet | None = KEYS
        self.verifications = 0
        monkeypatch.setattr(LiveKeys, "find", lambda _, *wanted: self.find(*wanted))
        self.telemetry = AuthenticationTelemetry()
        token = TokenRow(sha256=hash_token("one"), agents=("a",))
        self.authenticator = PolicyAuthenticator(
            Policy({"static": token}, {}, {"sso": row()}), telemetry=self.telemetry
        )

    def find(self, algorithm: str, key_id: str | None) -> Any:
        self.verifications += 1
        if self.keys is None:
            raise KeysPending(1.0)
        return self.keys.find(algorithm, key_id)

    def enforce(self, **rows: IssuerRow) -> None:
        self.authenticator.enforce(Policy({}, {}, rows), time.time())

    def call(self, token: str) -> Caller:
        return self.authenticator.authenticate(f"Bearer {token}", ())

    def failures(self) -> dict[str, int]:
        return {each.attributes["reason"]: each.value for each in self.telemetry.instruments()[:-1] if each.value}


@pytest.fixture
def world(monkeypatch: pytest.MonkeyPatch) -> World:
    return World(monkeypatch)


def test_a_token_names_its_caller_and_agents(world: World) -> None:
    caller = world.call(TOKENS.token(role=["x", "y"]))
    assert caller.name == "sso/ada"
    assert caller.agents(Verb.WRITE).patterns == ["user-ada"]
    assert caller.agents(Verb.READ).patterns == ["shared-*", "user-ada"]
    assert (caller.is_unlimited, caller.is_valid) == (False, True)
    assert world.call("one").name == "static"


def test_a_token_is_verified_once_while_it_is_remembered(world: World) -> None:
    token = TOKENS.token()
    caller = world.call(token)
    for _ in range(3):
        assert world.call(token) is caller
        # As each minute.
        world.authenticator.forget()
    assert world.verifications == 1


def test_tokens_of_one_subject_share_their_account(world: World) -> None:
    ada, again, bob = (
        world.call(TOKENS.token(sub=sub, jti=jti)) for sub, jti in (("ada", "1"), ("ada", "2"), ("bob", "3"))
    )
    assert ada.account is again.account
    assert ada.account is not bob.account


def test_a_rate_is_of_the_subject_and_outlives_its_tokens(world: World) -> None:
    world.enforce(sso=row(rate=1.0))
    first = world.call(TOKENS.token(jti="1"))
    assert first.rate is not None
    first.rate.take()
    second = world.call(TOKENS.token(jti="2"))
    assert second.rate is first.rate
    with pytest.raises(Overloaded) as raised:
        second.rate.take()
    assert raised.value.metadata["limit"] == "calls_per_second"
    world.enforce(sso=row(rate=2.0))
    assert first.rate is second.rate is not None
    assert first.rate.calls_per_second == 2.0  # type: ignore[attr-defined]
    world.enforce(sso=row())
    assert first.rate is None


def test_a_token_ends_at_its_moment(world: World) -> None:
    expected: list[float] = []
    world.authenticator.expects = lambda: expected.append(world.authenticator.next_expiry)
    end = int(time.time()) + 100
    late, early = world.call(TOKENS.token(exp=end + 50)), world.call(TOKENS.token(exp=end))
    assert expected == [end + 80, end + 30]
    assert not world.authenticator.expire(end + 29.9)
    assert world.authenticator.expire(end + 30.0)
    assert (early.is_valid, late.is_valid) == (False, True)
    assert early.agents(None).patterns == []
    assert world.authenticator.next_expiry == end + 80


def test_an_expired_token_is_refused_though_it_was_remembered(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    token = TOKENS.token()
    world.call(token)
    world.authenticator.forget()
    later = time.time() + 4_000
    monkeypatch.setattr(issued_callers.time, "time", lambda: later)
    with pytest.raises(Unauthenticated):
        world.call(token)
    assert world.failures() == {"expired": 1}


def test_a_policy_without_the_issuer_ends_its_callers(world: World) -> None:
    token = TOKENS.token()
    caller = world.call(token)
    world.enforce()
    assert not caller.is_valid
    with pytest.raises(Unauthenticated):
        world.call(token)
    world.enforce(sso=row())
    assert world.call(token) is not caller
    assert not caller.is_valid


@pytest.mark.parametrize(
    "fields",
    [{"audience": "other"}, {"keys": "/other"}, {"algorithms": ("RS256",)}, {"leeway": 1}, {"issuer": "https://x"}],
)
def test_a_policy_that_trusts_otherwise_ends_callers(world: World, fields: dict[str, Any]) -> None:
    caller = world.call(TOKENS.token())
    world.enforce(sso=row(**fields))
    assert not caller.is_valid


def test_a_renamed_issuer_ends_its_callers(world: World) -> None:
    caller = world.call(TOKENS.token())
    world.enforce(other=row())
    assert not caller.is_valid
    assert world.call(TOKENS.token()).name == "other/ada"


def test_a_changed_rule_changes_callers_in_place(world: World) -> None:
    token = TOKENS.token(team="red")
    caller = world.call(token)
    world.enforce(sso=row(rules=(RuleRow(agents=("team-{team}/*",), verbs=(Verb.READ,)),)))
    assert caller.is_valid
    assert caller.agents(Verb.READ).patterns == ["team-red/*"]
    assert caller.agents(Verb.WRITE).patterns == []
    assert world.call(token) is caller
    world.enforce(sso=row(rules=(RuleRow(agents=("team-{other}",)),)))
    assert not caller.is_valid
    with pytest.raises(Unauthenticated):
        world.call(token)


def test_a_caller_has_the_tier_of_its_issuer(world: World) -> None:
    world.enforce(sso=row(tier="free"))
    caller = world.call(TOKENS.token())
    assert caller.tier == "free"
    world.enforce(sso=row(tier="pro"))
    assert (caller.tier, caller.is_valid) == ("pro", True)


def test_a_key_that_is_gone_ends_its_tokens(world: World) -> None:
    of_rsa, of_ec = world.call(TOKENS.token("rsa")), world.call(TOKENS.token("ec"))
    assert world.authenticator.issued is not None
    (keys,) = world.authenticator.issued.all_keys()
    world.authenticator.keep(keys, KEYS.thumbprints)
    assert of_rsa.is_valid
    assert of_ec.is_valid
    world.keys = KeySet.parse(TOKENS.key_set("rsa"), ("RS256", "ES256"))
    world.authenticator.keep(keys, world.keys.thumbprints)
    assert (of_rsa.is_valid, of_ec.is_valid) == (True, False)


def test_a_caller_in_use_ends_though_others_took_its_place_in_memory(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(issued_callers, "ISSUED_TOKENS_VERIFIED_MAX", 2)
    world.enforce()
    world.authenticator = PolicyAuthenticator(Policy({}, {}, {"sso": row()}))
    end = int(time.time()) + 100
    token = TOKENS.token(exp=end)
    caller = world.call(token)
    for number in range(5):
        world.call(TOKENS.token(sub=f"other-{number}", exp=end + 200))
    world.authenticator.forget()
    assert world.call(token) is caller
    assert world.authenticator.expire(end + 30.0)
    assert not caller.is_valid


def test_wrong_tokens_are_counted_by_reason_and_logged_without_the_token(
    world: World, caplog: pytest.LogCaptureFixture
) -> None:
    wrong = {
        "signature": TokenIssuer().token(),
        "audience": TOKENS.token(aud="other"),
        "expired": TOKENS.token(exp=1),
        "not_yet_valid": TOKENS.token(nbf=1 << 40),
        "key": TOKENS.token(headers={"kid": "unknown"}),
        "issuer": TOKENS.token(iss="https://other.example"),
        "algorithm": jwt.encode({"iss": ISSUER, "sub": "ada"}, "secret" * 8, "HS256"),
        "rule": TOKENS.token(sub="*"),
        "claims": TOKENS.token(sub=None),
        "malformed": f"{TOKENS.token().partition('.')[0]}.e30.e30",
        "unknown": "memoryd_abc",
    }
    with caplog.at_level(logging.WARNING):
        for token in wrong.values():
            for _ in range(2):
                with pytest.raises(Unauthenticated):
                    world.call(token)
    assert world.failures() == dict.fromkeys(wrong, 2)
    assert {vars(record)["reason"] for record in caplog.records} == set(wrong)
    assert {vars(record).get("issuer") for record in caplog.records} == {"sso", None}
    logged = "".join(str(vars(record)) for record in caplog.records)
    assert not any(part in logged for token in wrong.values() for part in token.split(".") if len(part) > 10)


def test_other_failures_are_counted_too(world: World) -> None:
    for authorization, identities in ((None, ()), (None, ("a.example",)), ("Basic one", ())):
        with pytest.raises(Unauthenticated):
            world.authenticator.authenticate(authorization, identities)
    assert world.failures() == {"missing": 1, "certificate": 1, "scheme": 1}


def test_a_wrong_token_is_verified_once(world: World) -> None:
    token = TokenIssuer().token()
    for _ in range(3):
        with pytest.raises(Unauthenticated):
            world.call(token)
    assert world.verifications == 1
    # Other keys may verify it.
    assert world.authenticator.issued is not None
    world.authenticator.keep(next(world.authenticator.issued.all_keys()), KEYS.thumbprints)
    with pytest.raises(Unauthenticated):
        world.call(token)
    assert world.verifications == 2


def test_floods_of_tokens_are_refused_with_a_delay_and_known_ones_go_on(world: World) -> None:
    assert world.authenticator.issued is not None
    # On a slow machine, the verifications would not be too many in a second.
    moment = time.monotonic()
    world.authenticator.issued._rate._clock = lambda: moment
    known = TOKENS.token()
    world.call(known)
    stranger = TokenIssuer()
    head, payload, signature = stranger.token().rsplit(".", 2)
    refusals: list[Exception] = []
    for number in range(TOKEN_VERIFICATIONS_PER_SECOND):
        flipped = signature[:10] + f"{number:04}" + signature[14:]
        try:
            world.call(f"{head}.{payload}.{flipped}")
        except (Unauthenticated, Overloaded) as error:
            refusals.append(error)
    last = refusals[-1]
    assert isinstance(last, Overloaded)
    assert [*map(type, refusals)].count(Unauthenticated) == TOKEN_VERIFICATIONS_PER_SECOND - 1
    assert last.metadata == {"limit": "token_verifications_per_second", "value": str(TOKEN_VERIFICATIONS_PER_SECOND)}
    assert last.delay_ms is not None
    world.authenticator.forget()
    assert world.call(known).is_valid


def test_what_is_remembered_is_bounded(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(issued_callers, "ISSUED_TOKENS_VERIFIED_MAX", 3)
    authenticator = PolicyAuthenticator(Policy({}, {}, {"sso": row()}))
    issued = authenticator.issued
    assert issued is not None
    for number in range(10):
        authenticator.authenticate(f"Bearer {TOKENS.token(sub=f'user-{number}')}", ())
        authenticator.forget()
    assert len(issued._verified) == 3
    assert len(issued._alive) == len(issued._accounts) == 3
    assert ISSUED_TOKENS_VERIFIED_MAX > 3


def test_a_token_whose_key_is_still_to_be_read_is_to_be_sent_again(world: World) -> None:
    world.keys = None
    with pytest.raises(Overloaded) as raised:
        world.call(TOKENS.token())
    assert raised.value.metadata["limit"] == "issuer_key_reads_per_minute"
    assert raised.value.delay_ms == 1_500
    assert world.failures() == {}
