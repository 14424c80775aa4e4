"""The contract is generated for languages without a client of ours, in the packages that its options name.

The compilers of these languages check the result where they are installed.
"""

import os
import shutil
import subprocess
from pathlib import Path

import pytest
from tests.contract.contract import GOOGLEAPIS, PROTOS

# The generator of protoc, the file of notes, what it defines, and the compiler's check of a file.
GENERATORS = [
    ("csharp", "Note.cs", "namespace Memoryd.V1 {", ()),
    ("php", "Memoryd/V1/Note.php", "namespace Memoryd\\V1;", ("php", "-l")),
    ("ruby", "memoryd/v1/note_pb.rb", "module Memoryd\n  module V1\n    Note = ", ("ruby", "-c")),
    ("objc", "memoryd/v1/Note.pbobjc.h", "@interface MMDNote : GPBMessage", ()),
]


@pytest.mark.skipif(shutil.which("protoc") is None and "CI" not in os.environ, reason="protoc is not installed")
@pytest.mark.parametrize(("language", "file", "defined", "compiler"), GENERATORS)
def test_a_language_without_a_client_has_its_own_package(
    language: str, file: str, defined: str, compiler: tuple[str, ...], tmp_path: Path
) -> None:
    names = [str(path.relative_to(PROTOS)) for path in PROTOS.glob("memoryd/v1/*.proto")]
    command = ["protoc", f"-I{PROTOS}", f"-I{GOOGLEAPIS}", f"--{language}_out={tmp_path}", *names]
    subprocess.run(command, check=True)
    assert defined in (tmp_path / file).read_text("utf-8")
    if compiler and shutil.which(compiler[0]):
        for path in (tmp_path / file).parent.iterdir():
            subprocess.run([*compiler, path], check=True, stdout=subprocess.DEVNULL)
