"""memoryd beside other stores of an agent's memory: each in a process of its own, in the same run."""
