"""Daemons for tests, forked from a process that has imported their code."""
