"""The environment variables of memoryd. One that nothing reads is refused: it is a typing error."""

import re
from collections.abc import Iterable
from difflib import get_close_matches

from memoryd_server.ops.config.table import TABLE
from memoryd_server.ops.error import OperatorError

PREFIX = "MEMORYD_"

OTHERS = frozenset(
    {
        # Read by serve in addition to the settings.
        "MEMORYD_CONFIG",
        "MEMORYD_EMBEDDING_API_KEY",
        "MEMORYD_INGEST_API_KEY",
        "MEMORYD_SUMMARY_API_KEY",
        # Read by the clients and by other commands, which may share an environment with the daemon.
        "MEMORYD_ADDRESS",
        "MEMORYD_CA_FILE",
        "MEMORYD_CERT_FILE",
        "MEMORYD_CHECK_STORE",
        "MEMORYD_INSECURE_TOKEN",
        "MEMORYD_KEY_FILE",
        "MEMORYD_MCP_TOKEN_FILE",
        "MEMORYD_MIGRATE_FROM",
        "MEMORYD_BACKUP_TO",
        "MEMORYD_BACKUP_TO_STORE",
        "MEMORYD_MIGRATE_TO",
        "MEMORYD_PROFILE",
        "MEMORYD_SALVAGE_FROM",
        "MEMORYD_SALVAGE_TO",
        "MEMORYD_SERVER_NAME",
        "MEMORYD_TOKEN",
        # Read by the project's scripts.
        "MEMORYD_PYTHON",
    }
)
"""The variables that are no settings of the daemon."""

_FOREIGN = re.compile(
    r"MEMORYD_TEST_.*"
    # Kubernetes sets these in every pod for each service, also for one that is named memoryd.
    r"|MEMORYD_(\w+_)?(SERVICE_HOST|SERVICE_PORT(_\w+)?|PORT(_\d+_(TCP|UDP|SCTP)(_(PROTO|PORT|ADDR))?)?)"
)


def check_variables(names: Iterable[str]) -> None:
    """Raise OperatorError for the first name of a variable of memoryd that nothing reads, with the nearest one."""
    settings = {setting.variable for setting in TABLE}
    for name in sorted(names):
        if not name.startswith(PREFIX) or name in settings | OTHERS or _FOREIGN.fullmatch(name):
            continue
        # Without the prefix, which would make all names alike.
        known = sorted(each.removeprefix(PREFIX) for each in settings | OTHERS)
        nearest = get_close_matches(name.removeprefix(PREFIX), known, n=1)
        hint = f"did you mean {PREFIX}{nearest[0]}?" if nearest else "`memoryd serve --help` lists the settings"
        raise OperatorError(f"environment: {name} is not a setting: {hint}")
