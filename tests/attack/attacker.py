"""The attacker: a process of its own that runs one attack again and again, and yields the processor to all others."""

import asyncio
import os
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path

import msgspec
from tests.attack.attack import Outcomes, Target

ROOT = Path(__file__).parents[2]
NICENESS = 19


class Order(msgspec.Struct, frozen=True):
    """An order to the attacker: the attack, ``times`` at a time, until ``seconds`` have passed, and once at least."""

    attack: str
    target: Target
    times: int
    seconds: float


class Damage(msgspec.Struct, frozen=True):
    """The attacker's account: calls by outcome, the number of rounds, and its processor time in seconds."""

    outcomes: dict[str, int]
    rounds: int
    processor_s: float


def attack_with(order: Order) -> Damage:
    """Run the attacker, and wait until it ends. Raises RuntimeError if it fails."""
    process = subprocess.Popen(
        [sys.executable, "-m", "tests.attack.attacker"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        cwd=ROOT,
    )
    output, errors = process.communicate(msgspec.json.encode(order, enc_hook=str))
    if process.returncode:
        raise RuntimeError(f"the attacker failed:\n{errors.decode()[-3000:]}")
    return msgspec.json.decode(output, type=Damage)


async def attack(order: Order) -> tuple[Outcomes, int]:
    """Attack in this process, and return the calls by outcome and the number of rounds."""
    # Only the attacker knows all attacks.
    from tests.attack.attacks import ATTACKS

    outcomes: Outcomes = Counter()
    ends, rounds = time.monotonic() + order.seconds, 0
    while not rounds or time.monotonic() < ends:
        outcomes += await ATTACKS[order.attack].run(order.target, order.times)
        rounds += 1
    return outcomes, rounds


def _main() -> None:
    # Not by the parent between fork and exec: gRPC's handlers of forks may abort there.
    os.nice(NICENESS)
    order = msgspec.json.decode(sys.stdin.buffer.read(), type=Order, dec_hook=lambda kind, value: kind(value))
    outcomes, rounds = asyncio.run(attack(order))
    times = os.times()
    used = times.user + times.system + times.children_user + times.children_system
    sys.stdout.buffer.write(msgspec.json.encode(Damage(dict(outcomes), rounds, used)))


if __name__ == "__main__":
    _main()
