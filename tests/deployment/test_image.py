"""The image: linted by hadolint, and its steps done as plain commands in a root of its own, where its daemon runs."""

import contextlib
import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest
from tests.deployment.dockerfile import Root, Step, command_of, stages_of
from tests.deployment.program import lacks
from tests.wait import WAIT_S_MAX, until

REPOSITORY = Path(__file__).parents[2]
TEXT = (REPOSITORY / "Dockerfile").read_text()
BUILD, FINAL = stages_of(TEXT)
DOWNLOADERS = ("huggingface_hub", "hf_xet", "pip", "setuptools")
PASSED_ON = ("PIP_", "CARGO_", "RUSTUP_", "SSL_CERT_", "REQUESTS_CA_", "HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY")
"""The variables that say where this machine has its packages from."""

as_root = pytest.mark.skipif(
    os.geteuid() != 0 or lacks("unshare", "nsenter", "cargo", "useradd", "ip"),
    reason="a root of its own needs the user root, util-linux, iproute2, passwd and Rust",
)


class Container:
    """A command as process 1 of namespaces of its own, in a root."""

    def __init__(self, root: Root, command: Sequence[str]) -> None:
        self.root = root
        script = f"ip link set lo up && {root.script(command, {})}"
        with (root.folder / "log").open("wb") as log:
            self._unshare = subprocess.Popen(
                # What it has forked ends with it.
                ["unshare", "--mount", "--net", "--pid", "--fork", "--kill-child", "/bin/sh", "-c", script],
                stdin=subprocess.DEVNULL,
                stderr=log,
            )
        try:
            self.pid = self._first_process()
        except BaseException:
            self._unshare.kill()
            self._unshare.wait(WAIT_S_MAX)
            raise

    def _first_process(self) -> int:
        """Return the id of process 1 of its namespaces, once it has entered its root."""
        children = Path(f"/proc/{self._unshare.pid}/task/{self._unshare.pid}/children")
        until(lambda: self._unshare.poll() is not None or bool(children.read_text().split()), "it has begun")
        assert self._unshare.poll() is None, self.log()
        pid = int(children.read_text())
        place = Path(f"/proc/{pid}/root")
        until(lambda: self._unshare.poll() is not None or place.readlink() != Path("/"), "it has entered its root")
        assert self._unshare.poll() is None, self.log()
        return pid

    def execute(self, *command: str) -> subprocess.CompletedProcess[str]:
        """Run another command in it, as `docker exec` does."""
        enter = ["nsenter", "--target", str(self.pid), "--mount", "--net", "--pid", "--root"]
        return subprocess.run([*enter, *self.root.inside(command, {})], check=False, capture_output=True, text=True)

    def log(self) -> str:
        """Return what it has logged so far."""
        return (self.root.folder / "log").read_text()

    def stop(self) -> int:
        """End it as `docker stop` does, and return its exit code."""
        os.kill(self.pid, signal.SIGTERM)
        return self._unshare.wait(WAIT_S_MAX)

    def close(self) -> None:
        """Kill it if it still runs."""
        if self._unshare.poll() is None:
            # Process 1 of its namespace: all others end with it.
            os.kill(self.pid, signal.SIGKILL)
        self._unshare.wait(WAIT_S_MAX)


@contextlib.contextmanager
def container(root: Root, *command: str) -> Iterator[Container]:
    started = Container(root, [*command_of(FINAL, "ENTRYPOINT"), *(command or command_of(FINAL, "CMD"))])
    try:
        yield started
    finally:
        started.close()


@contextlib.contextmanager
def image(folder: Path) -> Iterator[Root]:
    """The root of the image, built by the steps of the Dockerfile. Those of apt-get are this machine's."""
    variables = {name: value for name, value in os.environ.items() if name.startswith(PASSED_ON)}
    variables["CARGO_TARGET_DIR"] = "/target"
    built = None
    for stage in (BUILD, FINAL):
        (folder / str(built is None)).mkdir()
        root = Root(folder / str(built is None), REPOSITORY)
        root.environment["PATH"] = (
            f"{Path.home()}/.cargo/bin:{root.environment['PATH']}" if built is None else root.environment["PATH"]
        )
        for step in stage:
            root.perform(step, built, variables)
        built = root
    assert built is not None
    try:
        yield built
    finally:
        shutil.rmtree(folder)


def test_hadolint_finds_nothing() -> None:
    command = [str(Path(sys.executable).with_name("hadolint")), "--config", ".hadolint.yaml", "Dockerfile"]
    done = subprocess.run(command, cwd=REPOSITORY, check=False, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout


def test_what_it_copies_is_in_the_context() -> None:
    context = {line[1:] for line in (REPOSITORY / ".dockerignore").read_text().splitlines() if line.startswith("!")}
    copied = [step.value.split()[:-1] for step in BUILD + FINAL if step.instruction == "COPY"]
    assert {source for sources in copied if not sources[0].startswith("--") for source in sources} <= context


def test_it_runs_as_a_user_by_number() -> None:
    assert Step("USER", "7600:7600") in FINAL


@as_root
@pytest.mark.whole
@pytest.mark.timeout(1800)
def test_it_serves_as_another_user_and_is_healthy_with_every_command(tmp_path: Path) -> None:
    # One test, since the image is built once for all of it, by whichever worker runs this.
    with image(tmp_path) as root:
        check_packages(root)
        check_daemon(root)
        check_health(root, "serve", "--listen", "0.0.0.0:7600", "--insecure")
        check_health(root, "serve", "--listen", "127.0.0.1:7601", "--durability", "memory")
        check_health(root, "mcp", "--agent", "a", "--transport", "http", "--address", "127.0.0.1:1")


def check_packages(root: Root) -> None:
    """There is no package that only downloads."""
    (packages,) = (root.folder / "opt" / "memoryd" / "lib").glob("python3*/site-packages")
    assert (packages / "mcp").is_dir()
    assert [name for name in DOWNLOADERS if (packages / name).exists()] == []


def check_daemon(root: Root) -> None:
    """Its own command serves, answers, and stops at SIGTERM."""
    with container(root) as daemon:
        healthy = command_of(FINAL, "HEALTHCHECK")
        assert (waited := daemon.execute(*healthy, "--wait", "1h")).returncode == 0, waited
        assert daemon.execute(*healthy).stdout == "the daemon serves at unix:/run/memoryd/memoryd.sock\n"
        assert daemon.execute("memoryd", "set", "a", "k", "1").returncode == 0
        remembered = daemon.execute("memoryd", "remember", "a", "Ada drinks tea")
        assert remembered.returncode == 0, remembered.stderr
        recalled = daemon.execute("memoryd", "recall", "a", "what does Ada drink?")
        assert "tea" in recalled.stdout, recalled.stderr + daemon.log()
        assert daemon.execute("memoryd", "note", "create", "a", "Tone", "Be short").returncode == 0
        assert daemon.execute("memoryd", "conversation", "append", "a", "talk", "user", "Hello").returncode == 0
        assert "Be short" in daemon.execute("memoryd", "context", "compose", "a", "talk", "--all-users").stdout
        assert (root.folder / "data" / "memoryd.db").stat().st_uid == 7600
        assert daemon.stop() == 0


def check_health(root: Root, *command: str) -> None:
    """The health check of the image fits another command."""
    with container(root, *command) as started:
        found = started.execute(*command_of(FINAL, "HEALTHCHECK"), "--wait", "1h")
        assert found.returncode == 0, found.stderr
