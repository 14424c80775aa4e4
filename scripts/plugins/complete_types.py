"""Completes the types of the Python stubs that are its arguments: protoc leaves arguments of generic types out.

Without these, type checkers report messages and servicers of the installed package as partially unknown.
"""

import re
import sys
from pathlib import Path

MAPPING = re.compile(r"\b_Mapping(?=[,\]])")
TYPING = re.compile(r"^from typing import ", re.MULTILINE)
CONTEXT = re.compile(r"(?<=_aio\.ServicerContext)\):  # type: ignore\[misc, type-arg\]")


def main() -> None:
    for path in map(Path, sys.argv[1:]):
        stub, mappings = MAPPING.subn("_Mapping[str, _Any]", path.read_text("utf-8"))
        if mappings:
            stub = TYPING.sub(r"\g<0>Any as _Any, ", stub, count=1)
        path.write_text(CONTEXT.sub("[_typing.Any, _typing.Any]):  # type: ignore[misc]", stub), "utf-8")


if __name__ == "__main__":
    main()
