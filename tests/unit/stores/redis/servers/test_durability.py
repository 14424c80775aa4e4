import pytest

from memoryd_server.stores.redis.servers.durability import Durability


@pytest.mark.parametrize(
    ("durability", "command"),
    [
        (Durability(), None),
        (Durability(replicas=2), ("WAIT", 2, 900)),
        (Durability(is_fsynced=True), ("WAITAOF", 1, 0, 900)),
        (Durability(is_fsynced=True, replicas=1), ("WAITAOF", 1, 1, 900)),
    ],
)
def test_the_durability_determines_the_command_that_waits(durability: Durability, command: object) -> None:
    assert durability.closing_command(1.0) == command
    assert durability.waits is (command is not None)


def test_a_wait_always_has_a_timeout() -> None:
    assert Durability(replicas=1).closing_command(0.0) == ("WAIT", 1, 1)


@pytest.mark.parametrize(
    ("durability", "reply", "is_enough"),
    [
        (Durability(replicas=2), 1, False),
        (Durability(replicas=2), 3, True),
        (Durability(is_fsynced=True), [0, 0], False),
        (Durability(is_fsynced=True), [1, 0], True),
        (Durability(is_fsynced=True, replicas=1), [1, 0], False),
        (Durability(is_fsynced=True, replicas=1), [0, 1], False),
        (Durability(is_fsynced=True, replicas=1), [1, 1], True),
    ],
)
def test_a_reply_below_the_requested_durability_is_not_enough(
    durability: Durability, reply: object, is_enough: bool
) -> None:
    assert durability.is_enough(reply) is is_enough
