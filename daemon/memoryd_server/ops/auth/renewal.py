"""The renewal of the TLS credentials while the daemon runs, from files that change."""

import asyncio
import logging

from memoryd_server.ops.auth.tls import server_credentials
from memoryd_server.ops.config.settings import Tls
from memoryd_server.ops.error import OperatorError
from memoryd_server.ops.followed_files import FollowedFiles
from memoryd_server.ports.component import Components
from memoryd_server.transport.server import Server

log = logging.getLogger("memoryd.tls")


def followed_certificates(tls: Tls, server: Server, components: Components) -> list[FollowedFiles]:
    """Return the files of the certificates; nothing if the settings name none."""
    if tls.cert_file is None:
        return []
    component = components.of("certificates")

    async def renew() -> None:
        try:
            credentials = await asyncio.to_thread(server_credentials, tls)
            if credentials is not None:
                server.renew(credentials)
        except (OperatorError, ValueError) as error:
            log.error("certificates not renewed, keeping the old ones", extra={"error": str(error)})
            component.degrade("the files were not read again, and the old certificates are in use: see the log")
        else:
            component.ok()
            log.info("certificates renewed")

    return [FollowedFiles(tls.files, renew)]
