"""The part of the client that its sync and async variants share, without I/O.

It builds requests, converts responses, classifies errors, and decides the steps of flows. ``memoryd.sync`` and
``memoryd.aio`` only perform the calls.
"""
