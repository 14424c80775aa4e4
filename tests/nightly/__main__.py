"""Runs the checks that take hours, prints their results and writes the report."""

import sys
import time
import traceback
from collections.abc import Callable
from functools import partial

import click
from tests.attack import report
from tests.attack.checked import Checked
from tests.benchmarks.machine import circumstances
from tests.benchmarks.process import ROOT
from tests.faults.step_operation import OPERATIONS
from tests.nightly.machines import check_machines
from tests.nightly.mutation import MUTATED, check_mutations
from tests.nightly.steps import check_steps

NAMES = ("machines", *(f"steps-{name}" for name in OPERATIONS), *(f"mutation-{name}" for name in MUTATED))


@click.command()
@click.argument("names", nargs=-1, metavar="[NAME]...", type=click.Choice(NAMES))
@click.option("--every", default=1, show_default=True, help="Interrupt an operation at every Nth step.")
@click.option("--examples", default=2_000, show_default=True, help="Number of examples of each state machine.")
@click.option("--mutants", default=200, show_default=True, help="Number of mutants of each module.")
@click.option("--seed", default=21, show_default=True, help="Seed of the choice of mutants.")
@click.option("--publish", is_flag=True, help="Write the figures into docs/reliability.md as well.")
def main(names: tuple[str, ...], every: int, examples: int, mutants: int, seed: int, publish: bool) -> None:
    """Run the named checks, or all. Exits with status 1 if one found something, or could not be made."""
    checks: dict[str, Callable[[], Checked]] = {
        "machines": partial(check_machines, examples),
        **{f"steps-{name}": partial(check_steps, name, every) for name in OPERATIONS},
        **{f"mutation-{name}": partial(check_mutations, name, mutants, seed) for name in MUTATED},
    }
    directory = ROOT / "docs" if publish else ROOT / "build" / "attack"
    broken = []
    for name in names or NAMES:
        around = circumstances(ROOT, " ".join(["python -m tests.nightly", *sys.argv[1:]]))
        began = time.monotonic()
        try:
            checked = checks[name]()
        except Exception:  # noqa: BLE001 - the other checks run, whatever failed
            traceback.print_exc()
            broken.append(name)
            continue
        tried = report.Tried(around, time.monotonic() - began, checked=checked)
        click.echo(f"{name}: {checked.count:,} {checked.unit}: {report.verdict(tried)}")
        if checked.broken:
            broken.append(name)
        results = report.load(directory) | {name: tried}
        report.save(directory, results)
        if publish:
            report.publish(directory / f"{report.NAME}.md", results)
    if broken:
        raise click.ClickException(f"promises were broken: {', '.join(broken)}")


if __name__ == "__main__":
    main()
