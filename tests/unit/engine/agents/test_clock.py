"""The source of nonces."""

import os

from memoryd_server.engine.agents.clock import new_nonce


def test_a_forked_process_counts_nonces_from_another_number() -> None:
    reading, writing = os.pipe()
    child = os.fork()
    if not child:
        os.write(writing, str(new_nonce()).encode())
        os._exit(0)
    os.waitpid(child, 0)
    with open(reading) as pipe:  # noqa: PTH123 - a descriptor
        os.close(writing)
        assert abs(int(pipe.read()) - new_nonce()) > 1_000
