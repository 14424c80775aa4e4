"""The command of scripts/test --clients: builds the clients, runs them against a real daemon, and prints a table."""

import os
import sys
import tempfile
import time
from pathlib import Path

import click
from tests.benchmarks.machine import circumstances
from tests.clients import trial
from tests.clients.language import LANGUAGES, ROOT, Language
from tests.clients.outcome import Outcome, publish, table
from tests.clients.shared import one_memory
from tests.daemon import Daemon

PAGE = ROOT / "docs" / "clients.md"


@click.command()
@click.argument("names", nargs=-1, metavar="[LANGUAGE]...", type=click.Choice(list(LANGUAGES)))
@click.option("--publish", "is_published", is_flag=True, help="Write the table into docs/clients.md as well.")
@click.option(
    "--shared",
    "is_shared",
    is_flag=True,
    help="Play only the scenarios, over two daemons that share a cluster, one of them killed every few seconds.",
)
@click.option("--built", "is_built", is_flag=True, help="Do not build the clients.")
def main(names: tuple[str, ...], is_published: bool, is_shared: bool, is_built: bool) -> None:
    """Build and run the named clients, or all. One whose toolchain is missing is skipped, and fails in CI."""
    if is_shared and is_published:
        raise click.UsageError("--shared makes no table: omit --publish")
    languages = [LANGUAGES[name] for name in names or LANGUAGES]
    outcomes = {language.name: Outcome(language.title) for language in languages}
    built = [language for language in languages if prepare(language, outcomes[language.name], is_built)]
    all_well = (try_shared if is_shared else try_all)(built, outcomes) if built else True
    results = list(outcomes.values())
    for outcome in results:
        for failure in outcome.failures:
            click.echo(f"{outcome.title}: {failure}", err=True)
    if not is_shared:
        click.echo(f"\n{table(results)}\n")
    if is_published:
        publish(PAGE, results, about())
    passed = sum(outcome.scenarios_passed for outcome in results)
    click.echo(f"scenarios: {passed} passed, {sum(outcome.scenarios for outcome in results) - passed} failed")
    if not all_well or any(outcome.failures for outcome in results):
        sys.exit(1)


def prepare(language: Language, outcome: Outcome, is_built: bool) -> bool:
    """Build a client unless ``is_built`` is true, and return True if it can be run."""
    if missing := language.missing():
        outcome.skipped = f"{', '.join(missing)} missing"
        if os.environ.get("CI"):
            outcome.failures.append(f"{outcome.skipped}: CI must have it installed")
        return False
    outcome.version = language.version()
    if is_built:
        is_there = language.is_built()
        if not is_there:
            outcome.failures.append("not built")
        return is_there
    began = time.monotonic()
    try:
        trial.build(language)
    except trial.CommandError as failure:
        outcome.failures.append(f"build failed: {failure}")
        return False
    click.echo(f"{language.title}: built in {time.monotonic() - began:.0f} s")
    return True


def try_all(languages: list[Language], outcomes: dict[str, Outcome]) -> bool:
    """Run scenarios, tests and samples of the built clients. Return True if the conformance tests passed."""
    with tempfile.TemporaryDirectory(prefix="memoryd-clients-") as directory:
        daemon = Daemon(Path(directory))
        daemon.start()
        try:
            for language in languages:
                began = time.monotonic()
                trial.play_scenarios(language, daemon.address, outcomes[language.name])
                trial.run_own(language, daemon.address, outcomes[language.name])
                click.echo(f"{language.title}: scenarios, tests and samples in {time.monotonic() - began:.0f} s")
        finally:
            daemon.close()
    return trial.run_conformance(languages, outcomes)


def try_shared(languages: list[Language], outcomes: dict[str, Outcome]) -> bool:
    """Play the scenarios over two daemons that share a store and are killed in turn. Return True."""
    with (
        tempfile.TemporaryDirectory(prefix="memoryd-clients-") as directory,
        one_memory(Path(directory)) as (address, killer),
    ):
        for language in languages:
            began, kills = time.monotonic(), killer.kills
            while killer.kills == kills or not outcomes[language.name].scenarios:
                trial.play_scenarios(language, address, outcomes[language.name], trial.LASTING_SCENARIOS)
            with killer.held():
                trial.play_scenarios(language, address, outcomes[language.name], trial.FRAIL_SCENARIOS)
            result = f"scenarios in {time.monotonic() - began:.0f} s, {killer.kills - kills} daemons killed meanwhile"
            click.echo(f"{language.title}: {result}")
    return True


def about() -> str:
    """Return a line that says where and when the table was made."""
    now = circumstances(ROOT, "")
    return f"Run {now.date} at {now.commit}, on {now.cores} cores, Linux {now.kernel}."


if __name__ == "__main__":
    main()
