"""What the sync and the async client share: pure and without I/O.

Requests are built here, answers converted, failures judged and flows decided; ``memoryd.sync`` and ``memoryd.aio``
only perform the calls.
"""
