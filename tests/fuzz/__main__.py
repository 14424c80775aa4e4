"""Fuzzes the daemon: every method of the contract, and every decoder."""

import sys
import time
from pathlib import Path

import click
import uvloop
from tests.attack import report
from tests.attack.checked import Checked
from tests.benchmarks.machine import circumstances
from tests.benchmarks.process import ROOT
from tests.fuzz.calls import SERVERS, fuzz_calls
from tests.fuzz.decoder import CORPUS, Finding, fuzz_decoder
from tests.fuzz.decoders import DECODERS

_SHARES = {"calls": 240, "front": 20, **{name: decoder.share for name, decoder in DECODERS.items()}}
"""The part of all inputs of each target: more for what is reached over the network, and for what is quick."""
_WHAT = {
    "calls": "requests of all methods in one process: valid ones with random changes, random ones, forged tokens",
    "front": "the same over the front end",
}


@click.command()
@click.argument("names", nargs=-1, metavar="[NAME]...", type=click.Choice([*_SHARES]))
@click.option("--inputs", default=100_000, show_default=True, help="Number of inputs of all targets together.")
@click.option("--seed", default=21, show_default=True, help="Seed of the inputs.")
@click.option("--first", default=0, show_default=True, help="Number of the first input of each target.")
@click.option("--keep", is_flag=True, help="Keep each input that does harm in the corpus.")
@click.option("--publish", is_flag=True, help="Write the figures into docs/reliability.md as well.")
def main(names: tuple[str, ...], inputs: int, seed: int, first: int, keep: bool, publish: bool) -> None:
    """Fuzz the named targets, or all. Exits with status 1 if an input does harm.

    Harm is an exception that is no refusal, INTERNAL, a logged error, the end of the daemon, or memory that grows.
    """
    shares = {name: _SHARES[name] for name in names or _SHARES}
    directory = ROOT / "docs" if publish else ROOT / "build" / "attack"
    results, harmful = report.load(directory), 0
    for name, share in shares.items():
        around = circumstances(ROOT, " ".join(["python -m tests.fuzz", *sys.argv[1:]]))
        count, began = max(1, -(-inputs * share // sum(shares.values()))), time.monotonic()
        findings = _findings(name, seed, count, first)
        for finding in findings:
            click.echo(f"{name} {finding.number}: {finding.problem}\n{finding.data[:200]!r}\n")
            if keep and finding.data:
                _keep(finding)
        harmful += len(findings)
        seconds = time.monotonic() - began
        click.echo(f"{name}: {count:,} inputs, {len(findings)} findings, {count / seconds:,.0f}/s")
        broken = "; ".join(finding.problem.splitlines()[-1] for finding in findings)[:300]
        what = _WHAT.get(name, f"damaged and forged input of the decoder `{name}`")
        checked = Checked(f"fuzz-{name}", f"{what}; seed {seed}", count, "inputs", broken)
        results[checked.name] = report.Tried(around, seconds, checked=checked)
        report.save(directory, results)
    if publish:
        report.publish(directory / f"{report.NAME}.md", results)
    if harmful:
        raise click.ClickException(f"{harmful} findings")


def _findings(name: str, seed: int, count: int, first: int) -> list[Finding]:
    if name in SERVERS:
        return uvloop.run(fuzz_calls(name, seed, count, first)).findings
    return fuzz_decoder(DECODERS[name], seed, count, first)


def _keep(finding: Finding) -> None:
    folder = CORPUS / ("calls" if finding.target in SERVERS else finding.target)
    folder.mkdir(parents=True, exist_ok=True)
    path: Path = folder / f"{finding.problem.splitlines()[-1].translate(_NAME)[:60]}.bin"
    path.write_bytes(finding.data)


_NAME = {ord(sign): "-" for sign in " /:."}


if __name__ == "__main__":
    main()
