"""The languages of the clients, with the tools that build each client and the commands that run its programs."""

import shutil
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

ROOT = Path(__file__).parents[2]
START_S_MAX = 30.0
Command = Sequence[str]


@dataclass(frozen=True)
class Language:
    """One client. Its commands run in its folder. ``tools`` print their versions, the first that of the language."""

    name: str
    title: str
    tools: tuple[Command, ...]
    conformance: Command
    tests: Command
    samples: tuple[Command, ...]
    builds: tuple[Command, ...] = ()
    checks: tuple[Command, ...] = ()
    """Commands that check format and lint. scripts/check does that for Python."""
    tour: Command = ()
    """The sample that tests/clients/tour.py plays. Empty: there is none."""
    libraries: tuple[str, ...] = ()
    """The pkg-config names of the libraries that must be installed."""
    optimized: tuple[Command, Command] | None = None
    """The build of a conformance program to be measured, and its command, where the one for tests is not optimized."""

    @property
    def folder(self) -> Path:
        """The folder of the client."""
        return ROOT / "clients" / self.name

    def missing(self) -> list[str]:
        """Return the tools and libraries that are not installed."""
        tools = [tool for tool, *_ in self.tools if shutil.which(tool) is None]
        return tools + [name for name in self.libraries if not _has_library(name)]

    def is_built(self) -> bool:
        """Return True if the conformance program can be started."""
        try:
            done = subprocess.run(
                [*self.conformance, "drive"],
                cwd=self.folder,
                stdin=subprocess.DEVNULL,
                capture_output=True,
                timeout=START_S_MAX,
                check=False,
            )
        except FileNotFoundError:
            return False
        return done.returncode == 0

    def build_optimized(self) -> "Language":
        """Return the client with an optimized conformance program, which is built if that of the tests is not one."""
        if self.optimized is None:
            return self
        build, command = self.optimized
        subprocess.run(build, cwd=self.folder, check=True)
        return replace(self, conformance=command)

    def version(self) -> str:
        """Return the first line of the version of the language's own tool."""
        done = subprocess.run(self.tools[0], capture_output=True, text=True, check=True, cwd=self.folder)
        return (done.stdout or done.stderr).splitlines()[0].strip()


def _has_library(name: str) -> bool:
    if shutil.which("pkg-config") is None:
        return False
    return subprocess.run(["pkg-config", "--exists", name], check=False).returncode == 0


LANGUAGES = {
    language.name: language
    for language in (
        Language(
            "python",
            "Python",
            tools=((sys.executable, "--version"),),
            conformance=(sys.executable, "-m", "conformance"),
            tests=(
                sys.executable,
                "-m",
                "pytest",
                "-q",
                "-n",
                "2",
                "--dist",
                "loadfile",
                "-p",
                "no:cacheprovider",
                str(ROOT / "tests/clients/python"),
            ),
            samples=((sys.executable, "samples/first_steps.py"),),
            tour=(sys.executable, "samples/tour.py"),
        ),
        Language(
            "go",
            "Go",
            tools=(("go", "version"),),
            builds=(
                ("go", "build", "-p", "2", "./..."),
                ("go", "build", "-p", "2", "-o", "build/", "./internal/conformance", "./examples/..."),
            ),
            conformance=("build/conformance",),
            checks=(("sh", "-c", 'test -z "$(gofmt -l . | tee /dev/stderr)"'), ("go", "vet", "./...")),
            tests=("go", "test", "-p", "2", "-count=1", "./..."),
            samples=(("build/first_steps",), ("build/near_cache",)),
            tour=("build/tour",),
        ),
        Language(
            "typescript",
            "TypeScript",
            tools=(("node", "--version"), ("npm", "--version")),
            builds=(("npm", "ci"), ("npm", "run", "build")),
            conformance=("node", "build/conformance/main.js"),
            checks=(("npm", "run", "check"),),
            tests=("npm", "test"),
            samples=(("node", "build/samples/first-steps.js"), ("node", "build/samples/assistant.js")),
            tour=("node", "build/samples/tour.js"),
        ),
        Language(
            "java",
            "Java",
            tools=(("java", "--version"), ("javac", "--version"), ("mvn", "--version")),
            builds=(("mvn", "-q", "-B", "-DskipTests", "package"),),
            conformance=(
                "java",
                "-cp",
                "conformance/target/classes:conformance/target/lib/*",
                "io.memoryd.conformance.Conformance",
            ),
            checks=(("mvn", "-q", "-B", "spotless:check"),),
            tests=("mvn", "-q", "-B", "test"),
            samples=(("java", "-cp", "samples/target/classes:samples/target/lib/*", "io.memoryd.samples.FirstSteps"),),
            tour=("java", "-cp", "samples/target/classes:samples/target/lib/*", "io.memoryd.samples.Tour"),
        ),
        Language(
            "rust",
            "Rust",
            tools=(("rustc", "--version"), ("cargo", "--version")),
            builds=(
                # One profile: each other one would compile all dependencies again.
                ("cargo", "build", "-q", "-j2", "--workspace", "--all-targets"),
            ),
            conformance=("target/debug/conformance",),
            optimized=(
                ("cargo", "build", "-q", "-j2", "--release", "--package", "conformance"),
                ("target/release/conformance",),
            ),
            checks=(
                ("cargo", "fmt", "--all", "--check"),
                ("cargo", "clippy", "-q", "-j2", "--workspace", "--all-targets", "--", "-D", "warnings"),
            ),
            tests=("cargo", "test", "-q", "-j2", "--workspace"),
            samples=(("target/debug/examples/first_steps",), ("target/debug/examples/near_cache",)),
            tour=("target/debug/examples/tour",),
        ),
        Language(
            "cpp",
            "C++",
            tools=(
                ("c++", "--version"),
                ("cmake", "--version"),
                ("protoc", "--version"),
                ("clang-format", "--version"),
                ("grpc_cpp_plugin",),
            ),
            libraries=("grpc++", "protobuf", "nlohmann_json", "yaml-cpp", "gtest", "gmock"),
            builds=(
                # Without debug information, which takes a quarter of the time to compile.
                ("cmake", "-S", ".", "-B", "build", "-G", "Ninja", "-DCMAKE_CXX_FLAGS_RELWITHDEBINFO=-O1 -DNDEBUG"),
                ("cmake", "--build", "build", "-j2"),
            ),
            conformance=("build/conformance/conformance",),
            checks=(("sh", "-c", "git ls-files '*.cpp' '*.hpp' | xargs clang-format --dry-run -Werror"),),
            tests=("ctest", "--test-dir", "build", "--output-on-failure"),
            samples=(("build/examples/first_steps",),),
            tour=("build/examples/tour",),
        ),
    )
}
