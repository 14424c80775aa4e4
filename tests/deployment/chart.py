"""The chart of Helm, as helm renders it; it is also the source of two of the manifests in deploy/kubernetes.

`python -m tests.deployment.chart` writes these.
"""

import subprocess
from collections.abc import Sequence
from pathlib import Path

DEPLOY = Path(__file__).parents[2] / "deploy"
CHART = DEPLOY / "helm" / "memoryd"
SECURE = ("tls.secretName=memoryd-tls", "tokens.secretName=memoryd-tokens")
MANIFESTS = {
    "embedded": ("The daemon for the pods of one cluster, with an embedded store.", SECURE),
    "shared": (
        "Daemons that share one memory in Redis or Valkey, for the pods of one cluster.",
        ("mode=shared", "store.secretName=memoryd-store", *SECURE),
    ),
}
"""The purpose of each manifest, and its values."""


def tool(name: str, *arguments: str | Path) -> subprocess.CompletedProcess[str]:
    """Run a tool of tests/deployment/tools, which Go builds the first time."""
    command = ["go", "tool", name, *map(str, arguments)]
    return subprocess.run(command, cwd=Path(__file__).with_name("tools"), check=False, capture_output=True, text=True)


def rendered(*values: str, json: Sequence[str] = ()) -> str:
    """Return the manifests of the chart with these values. Raises AssertionError with what helm says against them.

    A value of ``json`` has its type as in a file of values: a number is one of JSON.
    """
    arguments = [argument for value in values for argument in ("--set", value)]
    arguments += [argument for value in json for argument in ("--set-json", value)]
    done = tool("helm", "template", "memoryd", CHART, *arguments)
    assert done.returncode == 0, done.stderr
    return done.stdout


def manifest(name: str) -> str:
    """Return the text of a manifest in deploy/kubernetes."""
    purpose, values = MANIFESTS[name]
    source = f"# {purpose} See docs/operations/deploying.md.\n# Rendered from deploy/helm/memoryd by\n"
    source += "# `python -m tests.deployment.chart`: change that chart.\n"
    lines = (line for line in rendered(*values).splitlines() if not line.startswith("# Source:"))
    return source + "\n".join(line.rstrip() for line in lines if "managed-by" not in line).replace("\n\n", "\n") + "\n"


if __name__ == "__main__":
    for each in MANIFESTS:
        (DEPLOY / "kubernetes" / f"{each}.yaml").write_text(manifest(each))
