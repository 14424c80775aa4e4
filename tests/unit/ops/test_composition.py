"""What the daemon is made of."""

import subprocess
import sys


def test_a_daemon_without_redis_does_not_load_its_client() -> None:
    program = "import sys, memoryd_server.ops.composition; assert 'redis' not in sys.modules"
    subprocess.run([sys.executable, "-c", program], check=True)
