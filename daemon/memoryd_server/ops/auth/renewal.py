"""The renewal of the TLS credentials while the daemon runs, from files that change."""

import asyncio
import logging

from memoryd_server.ops.auth.tls import server_credentials
from memoryd_server.ops.config.settings import Tls
from memoryd_server.ops.error import OperatorError
from memoryd_server.ops.followed_files import FollowedFiles
from memoryd_server.transport.server import Server

log = logging.getLogger("memoryd.tls")


def followed_certificates(tls: Tls, server: Server) -> list[FollowedFiles]:
    """Return the files of the certificates; nothing if the settings name none."""
    if tls.cert_file is None:
        return []

    async def renew() -> None:
        try:
            credentials = await asyncio.to_thread(server_credentials, tls)
            if credentials is not None:
                server.renew(credentials)
        except (OperatorError, ValueError) as error:
            log.error("certificates not renewed, keeping the old ones", extra={"error": str(error)})
        else:
            log.info("certificates renewed")

    return [FollowedFiles(tls.files, renew)]
