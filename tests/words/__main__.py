import sys
from pathlib import Path

from tests.words.source import ROOT, findings_below

if __name__ == "__main__":
    lines = findings_below(*(str(Path(path).resolve().relative_to(ROOT)) for path in sys.argv[1:]))
    sys.stdout.writelines(f"{line}\n" for line in lines)
    sys.exit(bool(lines))
