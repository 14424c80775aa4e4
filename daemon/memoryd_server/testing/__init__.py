"""For tests of programs that use memoryd: the daemon inside the process of the test."""
