"""The state machine of one agent: how a command becomes the next state, changed records and events."""
