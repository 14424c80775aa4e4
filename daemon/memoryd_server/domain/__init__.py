"""What memory is and how it changes: pure, synchronous, without I/O, clock or randomness.

``decide(state, command, now)`` answers a new state, the records that changed, the events that tell of it, and the
result for the caller. Time and identifiers come in with the command; nothing here waits.
"""
