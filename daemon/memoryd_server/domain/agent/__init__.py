"""The machine: one agent's state, and how a command becomes its next state, records and events."""
