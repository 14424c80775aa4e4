"""Runs attacks and kills, prints their results and writes the report."""

import random
import sys
import tempfile
import time
from pathlib import Path

import click
from tests.attack import report
from tests.attack.attacks import ATTACKS
from tests.attack.kills import KILLS
from tests.attack.trial import try_attack
from tests.attack.verdict import ratios
from tests.benchmarks.machine import circumstances
from tests.benchmarks.process import ROOT

NAMES = [*ATTACKS, *KILLS]


@click.command()
@click.argument("names", nargs=-1, metavar="[NAME]...", type=click.Choice(NAMES))
@click.option("--publish", is_flag=True, help="Write the figures into docs/reliability.md as well.")
@click.option("--seconds", default=10.0, show_default=True, help="Minimum duration of an attack.")
@click.option("--quiet", default=10.0, show_default=True, help="Time for which the bystander is alone.")
@click.option("--kills", default=25, show_default=True, help="Number of kills of each sort.")
@click.option("--seed", default=18, show_default=True, help="Seed of the moments of kills.")
@click.option("--output", type=click.Path(path_type=Path), default=ROOT / "build" / "attack", help="Where to report.")
def main(
    names: tuple[str, ...], publish: bool, seconds: float, quiet: float, kills: int, seed: int, output: Path
) -> None:
    """Run the named attacks and kills, or all, each with a new daemon. Exits with status 1 unless every promise held.

    The daemon's data is in the directory for temporary files (TMPDIR).
    """
    directory = ROOT / "docs" if publish else output
    results = report.load(directory)
    broken: list[str] = []
    for name in names or NAMES:
        around = circumstances(ROOT, " ".join(["scripts/attack", *sys.argv[1:]]))
        began = time.monotonic()
        with tempfile.TemporaryDirectory(prefix="memoryd-attack-") as data:
            if name in ATTACKS:
                attack = ATTACKS[name]
                result = try_attack(attack, Path(data), attack.times, seconds, quiet)
                tried = report.Tried(around, time.monotonic() - began, result=result)
            else:
                killed = KILLS[name](Path(data), kills, random.Random(seed))
                tried = report.Tried(around, time.monotonic() - began, kills=killed)
        results[name] = tried
        click.echo(_lines(name, tried))
        if not report.is_kept(tried):
            broken.append(name)
        named = {each: results[each] for each in NAMES if each in results}
        report.save(directory, named | {each: tried for each, tried in results.items() if tried.checked is not None})
        if publish:
            report.publish(directory / f"{report.NAME}.md", report.load(directory))
    click.echo(f"report: {directory / report.NAME}.json")
    if broken:
        raise click.ClickException(f"promises were broken: {', '.join(broken)}")


def _lines(name: str, tried: report.Tried) -> str:
    """Return the result as lines for a terminal."""
    lines = [f"{name}: {report.verdict(tried)} ({tried.seconds:.0f} s, load {tried.circumstances.load:.1f} before)"]
    if tried.kills is not None:
        kills = tried.kills
        lines.append(
            f"{kills.kills} kills, {kills.acknowledged:,} acknowledged, {kills.events:,} events, ready again within"
            f" {kills.start_s_max:.1f} s"
        )
    if tried.result is not None:
        result, memory = tried.result, tried.result.memory
        get, set_ = ratios(result)
        outcomes = ", ".join(f"{count:,} {outcome}" for outcome, count in result.damage.outcomes.items())
        lines.append(f"{outcomes}; {result.damage.rounds} rounds in {result.seconds:.1f} s")
        for part, window in (("quiet", result.quiet), ("during", result.during), ("after", result.after)):
            lines.append(
                f"{part:6} {window.get.calls + window.set.calls:5} calls; GetEntry p50 {window.get.p50:.1f},"
                f" p99 {window.get.p99:.1f} ({window.get.p99_apart_from_cores:.1f} apart from waits for a core);"
                f" SetEntry {window.set.p50:.1f}, {window.set.p99:.1f} ({window.set.p99_apart_from_cores:.1f});"
                f" longest {window.worst_ms:.0f} ms = {window.worst_processor_ms:.0f} computed +"
                f" {window.worst_waited_ms:.0f} without a core + others"
            )
        lines.append(
            f"p99 {get:.1f} and {set_:.1f} times quiet; memory {memory.before} → {memory.peak} → {memory.after} MB,"
            f" readers {memory.readers} MB; processor: attacker {result.damage.processor_s:.1f} s, daemon"
            f" {result.daemon_processor_s:.1f} s; {result.lost} lost"
        )
    return "\n       ".join(lines)


if __name__ == "__main__":
    main()
