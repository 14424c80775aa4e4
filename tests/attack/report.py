"""The report: a JSON file as the record, and the tables of docs/reliability.md that are generated from it."""

from collections.abc import Iterable
from pathlib import Path

import msgspec
from tests.attack.attacks import ATTACKS
from tests.attack.checked import Checked
from tests.attack.kill_result import KillResult
from tests.attack.trial import Latency, Result
from tests.attack.verdict import broken_promises, ratios, slow_calls
from tests.benchmarks.machine import Circumstances, machine_line
from tests.benchmarks.page import write_figures

NAME = "reliability"


class Tried(msgspec.Struct, frozen=True):
    """The result of an attack, of kills or of another check, and when and where they were tried."""

    circumstances: Circumstances
    seconds: float
    result: Result | None = None
    kills: KillResult | None = None
    checked: Checked | None = None


Report = dict[str, Tried]
"""Results by name; each has its own circumstances, since it may be tried alone."""


def load(directory: Path) -> Report:
    """Return the report in a directory; an empty one if there is none."""
    path = directory / f"{NAME}.json"
    return msgspec.json.decode(path.read_bytes(), type=Report) if path.exists() else {}


def save(directory: Path, report: Report) -> None:
    """Write the record."""
    directory.mkdir(parents=True, exist_ok=True)
    data = msgspec.json.format(msgspec.json.encode(report), indent=1)
    (directory / f"{NAME}.json").write_bytes(data + b"\n")


def publish(page: Path, report: Report) -> None:
    """Replace the tables between the page's marks; the rest of the page stays."""
    write_figures(page, markdown(report), "scripts/attack")


def is_kept(tried: Tried) -> bool:
    """Return True if every promise held, apart from waits for a core."""
    if other := tried.kills or tried.checked:
        return not other.broken
    assert tried.result is not None
    return not broken_promises(ATTACKS[tried.result.attack], tried.result)


def verdict(tried: Tried) -> str:
    """Return the verdict in words, beginning with HOLDS or BROKEN."""
    if other := tried.kills or tried.checked:
        return f"BROKEN: {other.broken}" if other.broken else "HOLDS"
    assert tried.result is not None
    if broken := broken_promises(ATTACKS[tried.result.attack], tried.result):
        return f"BROKEN: {'; '.join(broken)}"
    crowded = [slow.text for slow in slow_calls(tried.result)]
    return f"HOLDS, but for the want of a core: {'; '.join(crowded)}" if crowded else "HOLDS"


def markdown(report: Report) -> str:
    """Return the tables."""
    attacks = {name: each.result for name, each in report.items() if each.result is not None and name in ATTACKS}
    kills = [each.kills for each in report.values() if each.kills is not None]
    checks = [(each.checked, verdict(each)) for each in report.values() if each.checked is not None]
    held = sum(map(is_kept, report.values()))
    lines = [f"{held} of {len(report)} hold.", ""]
    lines += [
        "| attack | what | calls | answers | others' GetEntry p99 | SetEntry p99 | longest call | memory | lost | |",
        "| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |",
        *(_attack_row(name, result, report[name]) for name, result in attacks.items()),
        "",
        "| kills | what | times | acknowledged | lost or torn | events | missed or repeated | ready again, at most |",
        "| --- | --- | --- | --- | --- | --- | --- | --- |",
        *(_kill_row(each) for each in kills),
        "",
        "| check | what | tried | |",
        "| --- | --- | --- | --- |",
        *(_row((f"`{each.name}`", each.what, f"{each.count:,} {each.unit}", found)) for each, found in checks),
        "",
        "| | tried | commit | load before | took | attacker's processor | daemon's processor |",
        "| --- | --- | --- | --- | --- | --- | --- |",
        *(_circumstances_row(name, each) for name, each in report.items()),
        "",
        *dict.fromkeys(machine_line(each.circumstances) for each in report.values()),
        "",
    ]
    return "\n".join(lines)


def _attack_row(name: str, result: Result, tried: Tried) -> str:
    attack, memory, during = ATTACKS[name], result.memory, result.during
    get, set_ = ratios(result)
    readers = f", its readers {memory.readers} MB" if memory.readers else ""
    cells = (
        f"`{name}`",
        attack.what.format(times=f"{attack.times:,}"),
        f"{sum(result.damage.outcomes.values()):,}",
        _answers(result.damage.outcomes),
        _change(result.quiet.get, during.get, get),
        _change(result.quiet.set, during.set, set_),
        f"{during.worst_ms:.0f} ms, computed {during.worst_processor_ms:.0f}, waited {during.worst_waited_ms:.0f}",
        f"{memory.before} → {memory.peak} → {memory.after} MB{readers}",
        str(result.lost),
        verdict(tried),
    )
    return _row(cells)


def _answers(outcomes: dict[str, int]) -> str:
    ranked = sorted(outcomes.items(), key=lambda each: -each[1])
    return ", ".join(f"{count:,} {outcome}" for outcome, count in ranked)


def _change(quiet: Latency, during: Latency, ratio: float) -> str:
    return f"{quiet.p99:.1f} → {during.p99:.1f} ms ({ratio:.1f} times)"


def _kill_row(kills: KillResult) -> str:
    cells = (
        f"`{kills.name}`",
        kills.what,
        str(kills.kills),
        f"{kills.acknowledged:,}",
        kills.broken or "0",
        f"{kills.events:,}" if kills.events else "",
        (kills.broken or "0") if kills.events else "",
        f"{kills.start_s_max:.1f} s",
    )
    return _row(cells)


def _circumstances_row(name: str, tried: Tried) -> str:
    about, result = tried.circumstances, tried.result
    computed = (
        ("", "") if result is None else (f"{result.damage.processor_s:.1f} s", f"{result.daemon_processor_s:.1f} s")
    )
    return _row((f"`{name}`", about.date, about.commit, f"{about.load:.1f}", f"{tried.seconds:.0f} s", *computed))


def _row(cells: Iterable[str]) -> str:
    # What was found may have several lines, as errors have.
    shown = (" ".join(cell.split()).replace("|", r"\|") for cell in cells)
    return f"| {' | '.join(shown)} |"
