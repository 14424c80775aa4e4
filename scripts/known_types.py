"""Fails if type checkers know the types of fewer than 99 % of the symbols of the client in an environment.

``python scripts/known_types.py PYRIGHT FOLDER``: the command of pyright and the folder of the environment. What other
packages do not know of their own types does not count. The adapters to frameworks that are not installed there do.
"""

import json
import os
import subprocess
import sys

SHARE_MIN = 0.99


def main(pyright: str, folder: str) -> None:
    command = [pyright, "--ignoreexternal", "--outputjson", "--verifytypes", "memoryd"]
    # It looks for the package where the first `python` finds it, also with --pythonpath.
    environment = {**os.environ, "PATH": f"{folder}/bin{os.pathsep}{os.environ['PATH']}"}
    # It exits with 1 for a single unknown symbol.
    done = subprocess.run(command, env=environment, stdout=subprocess.PIPE, text=True, check=False)
    found = json.loads(done.stdout)["typeCompleteness"]
    share = found["completenessScore"]
    if not found["symbols"] or share < SHARE_MIN:
        for symbol in found["symbols"]:
            if symbol["isExported"] and (symbol["isTypeAmbiguous"] or not symbol["isTypeKnown"]):
                causes = [note["message"] for note in symbol["diagnostics"] if "docstring" not in note["message"]]
                print(symbol["name"], *causes, sep="\n    ")
        sys.exit(f"type checkers know {share:.2%} of the exported symbols' types, which is less than {SHARE_MIN:.0%}")
    print(f"type checkers know {share:.2%} of the exported symbols' types")


if __name__ == "__main__":
    main(*sys.argv[1:])
