"""A Dockerfile as its stages, and their steps as plain commands in a root of their own."""

import json
import re
import shlex
import shutil
import subprocess
from collections.abc import Sequence
from pathlib import Path

import msgspec

SYSTEM = ("bin", "dev", "lib", "lib32", "lib64", "libx32", "root", "sbin", "sys", "usr")
"""The folders of this machine that a root has, in the place of a base image. Its /etc is a copy; all else is empty."""

TARGET = Path("build", "image", "target")
COMPILED = Path("front", "target", "release")
"""The folder that scripts/environment compiles to. A dependency that is the same in the image is not compiled again."""


class Step(msgspec.Struct, frozen=True):
    """One instruction, such as RUN, and what follows it."""

    instruction: str
    value: str


def stages_of(text: str) -> list[list[Step]]:
    """Return the steps of each stage, without those before the first."""
    stages: list[list[Step]] = []
    joined = re.sub(r"\\\n", " ", re.sub(r"(?m)^\s*#.*\n", "", text))
    for line in filter(None, map(str.strip, joined.splitlines())):
        instruction, _, value = line.partition(" ")
        if instruction == "FROM":
            stages.append([])
        elif stages:
            stages[-1].append(Step(instruction, " ".join(value.split())))
    return stages


class Root:
    """The root of one stage: a folder into which this machine's system is mounted, in a mount namespace of its own."""

    def __init__(self, folder: Path, context: Path) -> None:
        self.folder = folder
        self.context = context
        self.environment = {"PATH": "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin", "HOME": "/root"}
        self.user = "0:0"
        self._work = "/"
        shutil.copytree("/etc", folder / "etc", symlinks=True)
        for name in ("run", "tmp", "var"):
            (folder / name).mkdir()
        (folder / "tmp").chmod(0o1777)
        (folder / "proc").mkdir()
        mounts = [f"mount -t proc proc {shlex.quote(str(folder / 'proc'))}"]
        for name in SYSTEM:
            source = Path("/", name)
            if source.is_symlink():
                (folder / name).symlink_to(source.readlink())
            elif source.is_dir():
                (folder / name).mkdir()
                mounts.append(f"mount --rbind {source} {shlex.quote(str(folder / name))}")
        # What is compiled is kept from one run to the next.
        if not (context / TARGET).exists() and (context / COMPILED).exists():
            # A copy, with its times: what the image compiles in its own way must not be compiled again outside of it.
            shutil.copytree(context / COMPILED, context / TARGET / COMPILED.name)
        (context / TARGET).mkdir(parents=True, exist_ok=True)
        (folder / "target").mkdir()
        mounts.append(f"mount --bind {shlex.quote(str(context / TARGET))} {shlex.quote(str(folder / 'target'))}")
        self._mounts = " && ".join(mounts)

    def perform(self, step: Step, built: "Root | None", variables: dict[str, str]) -> None:
        """Perform a step as a builder of images does; ``built`` is the root of the stage that it copies from."""
        match step.instruction:
            case "RUN" if not step.value.startswith("apt-get "):
                self.run(["/bin/sh", "-c", step.value], variables)
            case "WORKDIR":
                self._work = step.value
                self._at(".").mkdir(parents=True, exist_ok=True)
            case "COPY":
                self._copy(step.value.split(), built)
            case "ENV":
                for name, value in (word.split("=", 1) for word in shlex.split(step.value)):
                    self.environment[name] = value.replace("$PATH", self.environment["PATH"])
            case "USER":
                self.user = step.value

    def run(self, command: Sequence[str], variables: dict[str, str]) -> None:
        """Run a command in this root, as its user. Raises AssertionError with its output if it fails."""
        done = subprocess.run(
            [*("unshare", "--mount"), "/bin/sh", "-c", self.script(command, variables)],
            check=False,
            capture_output=True,
            text=True,
        )
        assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-3000:]

    def script(self, command: Sequence[str], variables: dict[str, str]) -> str:
        """Return the shell command that mounts the root and becomes ``command`` in it."""
        inside = ["chroot", str(self.folder), *self.inside(command, variables)]
        return f"{self._mounts} && exec {shlex.join(inside)}"

    def inside(self, command: Sequence[str], variables: dict[str, str]) -> list[str]:
        """Return the command as its user runs it, with the environment of this root, within the root."""
        environment = [f"{name}={value}" for name, value in (variables | self.environment).items()]
        user, _, group = self.user.partition(":")
        as_user = ["setpriv", f"--reuid={user}", f"--regid={group}", "--clear-groups", "env", "-i", *environment]
        return [*as_user, "/bin/sh", "-c", f"cd {self._work} && exec {shlex.join(command)}"]

    def _at(self, path: str) -> Path:
        return self.folder / Path(self._work, path).relative_to("/")

    def _copy(self, words: list[str], built: "Root | None") -> None:
        *sources, target = (word for word in words if not word.startswith("--from="))
        is_of_stage = words[0].startswith("--from=")
        assert not is_of_stage or built is not None
        for source in sources:
            origin = built.folder / source.removeprefix("/") if built and is_of_stage else self.context / source
            place = self._at(target)
            if origin.is_dir():
                # As the context of a builder is, by .dockerignore.
                unwanted = (
                    None if is_of_stage else shutil.ignore_patterns("target", "__pycache__", "*.egg-info", "samples")
                )
                shutil.copytree(origin, place, symlinks=True, ignore=unwanted, dirs_exist_ok=True)
            else:
                place.parent.mkdir(parents=True, exist_ok=True)
                shutil.copy(origin, place)


def command_of(stage: Sequence[Step], instruction: str) -> list[str]:
    """Return the command of ENTRYPOINT, CMD or HEALTHCHECK."""
    (value,) = (step.value for step in stage if step.instruction == instruction)
    command: list[str] = json.loads(value[value.index("[") :])
    return command
