"""The command ``memoryd``, whose front end fails at the signal SIGUSR1 as it would by a defect."""

import signal
import threading
from typing import Any

import memoryd_front

from memoryd_server.ops.cli.main import main

SIGNAL = signal.SIGUSR1
_fronts: list[Any] = []
_Front = memoryd_front.Front


def _front(*settings: Any) -> Any:
    _fronts.append(_Front(*settings))
    return _fronts[-1]


def _fail() -> None:
    signal.sigwait({SIGNAL})
    _fronts[0].fail()


if __name__ == "__main__":
    memoryd_front.Front = _front  # type: ignore[assignment,misc]
    signal.pthread_sigmask(signal.SIG_BLOCK, {SIGNAL})
    threading.Thread(target=_fail, daemon=True).start()
    main()
