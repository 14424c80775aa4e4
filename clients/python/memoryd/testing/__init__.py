"""A real daemon for the tests of programs that use memoryd.

``running_daemon`` starts one for the duration of a with block. Its data are in memory and in a temporary directory. For
pytest, the plugin of this package has fixtures: ``memoryd_daemon``, ``memoryd_client``, ``memoryd_agent`` and, where
pytest-asyncio or anyio is installed, ``memoryd_aio_client`` and ``memoryd_aio_agent``.
"""

from memoryd.testing.daemon import Daemon, running_daemon
from memoryd.testing.failure import DaemonFailed

__all__ = ["Daemon", "DaemonFailed", "running_daemon"]
