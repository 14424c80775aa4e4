"""The rules of memory: what may be stored and how it changes. Pure and synchronous, without I/O, clock or randomness.

``decide(state, command, now)`` returns the next state, the changed records, the events to emit and the result for the
caller. Times and identifiers are given to it; nothing here waits.
"""
