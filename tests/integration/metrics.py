"""The metrics of a running daemon."""

import re
import urllib.request

from prometheus_client.parser import text_string_to_metric_families


def scraped(port: int) -> dict[str, float]:
    """Return the daemon's own metrics by name, each summed over its attributes."""
    with urllib.request.urlopen(f"http://127.0.0.1:{port}/metrics") as answer:
        text = answer.read().decode()
    sums: dict[str, float] = {}
    for line in text.splitlines():
        if line.startswith("agents_memory") and "_bucket" not in line:
            name, value = line.split("{")[0].split(" ")[0], float(line.rsplit(" ", 1)[1])
            sums[name] = sums.get(name, 0) + value
    return sums


def scraped_by(port: int, name: str, attribute: str) -> dict[str, float]:
    """Return the values of one metric that are not 0, by an attribute."""
    with urllib.request.urlopen(f"http://127.0.0.1:{port}/metrics") as answer:
        text = answer.read().decode()
    values = re.findall(rf'^{name}{{.*\b{attribute}="(\w+)".*}} (\S+)$', text, re.MULTILINE)
    return {key: float(value) for key, value in values if float(value)}


def samples(port: int, name: str = "") -> list[tuple[dict[str, str], float]]:
    """Return the labels and the value of each sample of a name; of all for an empty one."""
    with urllib.request.urlopen(f"http://127.0.0.1:{port}/metrics") as answer:
        families = text_string_to_metric_families(answer.read().decode())
        found = [sample for family in families for sample in family.samples if name in ("", sample.name)]
    return [({"__name__": each.name, **each.labels}, each.value) for each in found]
