"""Programs for third-party libraries: each is run by the interpreter of the environment that has its library."""
