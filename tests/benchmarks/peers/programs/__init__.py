"""Programs that call one store each: run by the interpreter of the environment that has its client."""
