"""The source of an issuer's keys: a file, or a URL."""

import asyncio
import ssl
from pathlib import Path

import httpx2

from memoryd_server.ops.auth.issuers.issuer_row import IssuerRow
from memoryd_server.ops.auth.issuers.key_set import KeySet
from memoryd_server.ops.limit import KEYS_BYTES_MAX, KEYS_RESPONSE_S_MAX, TOKEN_FILE_BYTES_MAX


class KeysUnavailable(Exception):  # noqa: N818 - an expected outcome
    """The keys cannot be read, or not be used. The message says why, and quotes nothing that was read."""


async def read_keys(row: IssuerRow) -> KeySet:
    """Read the keys of an issuer. Raises KeysUnavailable.

    Redirections are not followed and proxies not used, so that the keys come from where the policy says.
    """
    try:
        async with asyncio.timeout(KEYS_RESPONSE_S_MAX):
            if row.is_remote:
                data = await _download(row)
            else:
                data = await asyncio.to_thread(_read, Path(row.keys), KEYS_BYTES_MAX)
            return await asyncio.to_thread(KeySet.parse, data, row.algorithms)
    except TimeoutError:
        raise KeysUnavailable(f"no response within {KEYS_RESPONSE_S_MAX:g} s") from None
    except (httpx2.HTTPError, httpx2.InvalidURL) as error:
        raise KeysUnavailable(f"cannot be reached: {type(error).__name__}") from None
    except OSError as error:
        raise KeysUnavailable(f"cannot be read: {error.strerror or error}") from None
    except ValueError as error:
        raise KeysUnavailable(str(error)) from None


async def _download(row: IssuerRow) -> bytes:
    # Kubernetes sends its keys as the first type only. A compressed response could expand without bounds: one that
    # comes anyway is refused, since it is not JSON.
    accepted = "application/jwk-set+json, application/json, */*;q=0.1"
    headers = {"User-Agent": "memoryd", "Accept": accepted, "Accept-Encoding": "identity"}
    if row.keys_token_file is not None:
        token = await asyncio.to_thread(_read, Path(row.keys_token_file), TOKEN_FILE_BYTES_MAX)
        headers["Authorization"] = f"Bearer {token.decode('ascii').strip()}"
    # Loading the authorities takes long.
    tls = await asyncio.to_thread(_tls_of, row)
    async with (
        httpx2.AsyncClient(
            headers=headers, verify=tls, timeout=None, follow_redirects=False, trust_env=False
        ) as client,
        client.stream("GET", row.keys) as response,
    ):
        if response.status_code != httpx2.codes.OK:
            raise KeysUnavailable(f"the server returned HTTP status {response.status_code}")
        body = bytearray()
        async for part in response.aiter_raw():
            body += part
            if len(body) > KEYS_BYTES_MAX:
                raise KeysUnavailable(f"larger than {KEYS_BYTES_MAX} bytes")
        return bytes(body)


def _tls_of(row: IssuerRow) -> ssl.SSLContext:
    if row.keys_ca_file is None:
        return httpx2.create_ssl_context(trust_env=False)
    return ssl.create_default_context(cafile=row.keys_ca_file)


def _read(path: Path, bytes_max: int) -> bytes:
    with path.open("rb") as file:
        data = file.read(bytes_max + 1)
    if len(data) > bytes_max:
        raise KeysUnavailable(f"{path} is larger than {bytes_max} bytes")
    return data
