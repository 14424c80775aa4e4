"""Prints a page with the code between its marks replaced by the clients' current samples.

    <!-- sample: clients/go/examples/first_steps/main.go -->
    ```go
    ...
    ```
    <!-- end of sample -->

The code is the sample's lines between the one with ``[first steps]`` or ``[sample]`` and the one with ``[end]``.
"""

import re
import sys
import textwrap
from pathlib import Path

ROOT = Path(__file__).parents[1]
_SAMPLE = re.compile(
    r"(?P<begin><!-- sample: (?P<path>\S+) -->\n```\w*\n).*?(?P<end>```\n<!-- end of sample -->)", re.DOTALL
)


def main(page: str) -> None:
    text = Path(page).read_text("utf-8")
    print(_SAMPLE.sub(lambda found: found["begin"] + piece(ROOT / found["path"]) + found["end"], text), end="")


def piece(path: Path) -> str:
    """Return the marked lines of a sample, without their common indentation."""
    lines = path.read_text("utf-8").splitlines(keepends=True)
    try:
        begin = next(at for at, line in enumerate(lines) if "[first steps]" in line or "[sample]" in line)
        end = next(at for at, line in enumerate(lines) if "[end]" in line)
    except StopIteration:
        raise SystemExit(f"{path} lacks the lines with [first steps] or [sample], and [end]") from None
    return textwrap.dedent("".join(lines[begin + 1 : end])).strip("\n") + "\n"


if __name__ == "__main__":
    main(sys.argv[1])
