"""The tests of deploy/ and of the Dockerfile, by real tools."""
