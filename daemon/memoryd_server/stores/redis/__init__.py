"""The store that several daemons share: Redis 6.2 or later, or Valkey, without modules.

``node`` speaks to one server, ``topology`` knows which server has which shard, ``route`` brings a request there and
tries again what a failover or a moved slot turned away. ``request`` is what is asked, and until when it is answered.
``script`` holds what runs inside of the server, and ``trouble`` logs without flooding.
"""
