"""The C++ client's own tests with sanitizers: ``python -m tests.clients.cpp.sanitizers [address|thread]``.

Each sanitizer has a build of its own in ``clients/cpp``, which takes minutes.
"""

import os
import subprocess
import sys
import tempfile
from pathlib import Path

import click
from tests.clients.language import LANGUAGES
from tests.daemon import COMMAND, Daemon

CPP = LANGUAGES["cpp"].folder
SUPPRESSIONS = CPP / "tests" / "sanitizers"
SANITIZERS = {
    "address": (
        "address,undefined",
        {
            # protobuf of the system is not instrumented, and grows strings and vectors that the tests then read.
            "ASAN_OPTIONS": "detect_container_overflow=0",
            "UBSAN_OPTIONS": "print_stacktrace=1",
        },
    ),
    "thread": (
        "thread",
        {
            "TSAN_OPTIONS": f"suppressions={SUPPRESSIONS / 'thread.txt'}",
        },
    ),
}
"""The sanitizers of a build and the settings of its run, by their name."""


def check(name: str, address: str) -> bool:
    """Build the tests with a sanitizer, and run them with a daemon. Return True if they passed."""
    flags, settings = SANITIZERS[name]
    build = CPP / f"build-{name}"
    # As in the everyday build, without optimization beyond the first step; with the lines of stack traces.
    options = ["-DCMAKE_CXX_FLAGS_RELWITHDEBINFO=-O1 -g1 -DNDEBUG", f"-DMEMORYD_SANITIZE={flags}"]
    options += ["-DMEMORYD_BUILD_EXAMPLES=OFF", "-DMEMORYD_BUILD_CONFORMANCE=OFF"]
    environment = {**os.environ, **settings, "MEMORYD_ADDRESS": address, "MEMORYD_TEST_COMMAND": str(COMMAND)}
    steps = (
        ["cmake", "-S", str(CPP), "-B", str(build), "-G", "Ninja", *options],
        ["cmake", "--build", str(build), "-j2"],
        ["ctest", "--test-dir", str(build), "--output-on-failure"],
    )
    return all(subprocess.run(step, env=environment, check=False).returncode == 0 for step in steps)


@click.command()
@click.argument("names", nargs=-1, metavar="[NAME]...", type=click.Choice(list(SANITIZERS)))
def main(names: tuple[str, ...]) -> None:
    """Run the tests with the named sanitizers, or with all. Exits with status 1 if one found something."""
    with tempfile.TemporaryDirectory(prefix="memoryd-sanitizers-") as directory:
        daemon = Daemon(Path(directory))
        daemon.start()
        try:
            failed = [name for name in names or SANITIZERS if not check(name, daemon.address)]
        finally:
            daemon.close()
    if failed:
        click.echo(f"not passed with the sanitizers {', '.join(failed)}", err=True)
        sys.exit(1)


if __name__ == "__main__":
    main()
