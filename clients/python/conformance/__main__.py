"""``python -m conformance scenarios ADDRESS FILE…`` or ``python -m conformance drive``."""

import json
import sys

from conformance.driver import Driver
from conformance.player import play


def main(arguments: list[str]) -> int:
    """Run the program, and return its exit status."""
    match arguments:
        case ["scenarios", address, *files]:
            return scenarios(address, files)
        case ["drive"]:
            drive()
            return 0
    print(__doc__, file=sys.stderr)
    return 2


def scenarios(address: str, files: list[str]) -> int:
    """Play scenario files, and print the result of each as a line of JSON. Return 1 if one failed, else 0."""
    failed = 0
    for file in files:
        why = play(address, file)
        result = {"file": file, "passed": True} if why is None else {"file": file, "passed": False, "why": why}
        print(json.dumps(result), flush=True)
        failed += why is not None
    return 1 if failed else 0


def drive() -> None:
    """Execute a command for each line of the input, and print its response as a line of JSON."""
    with Driver() as driver:
        for line in sys.stdin:
            print(json.dumps(driver.execute(json.loads(line))), flush=True)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
