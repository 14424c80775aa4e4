"""The store that several daemons share: Redis 6.2 or later, or Valkey, without modules.

``node`` communicates with one server, ``topology`` maps shards to servers, and ``route`` sends a request to its server,
again after a failover or the move of a slot. ``request`` is a request with its deadline. ``script`` loads the scripts
that run in the server, and ``trouble`` limits repeated log lines.
"""
