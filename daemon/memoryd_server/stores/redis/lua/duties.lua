-- Says that a daemon is there, and answers who is.
-- KEYS: daemons. ARGV: the daemon's id; after how many milliseconds one that said nothing is gone.
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
-- First, since a full server refuses ZADD, unless something that it does not refuse was written before.
redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', now - ARGV[2])
redis.call('ZADD', KEYS[1], now, ARGV[1])
local daemons = redis.call('ZRANGE', KEYS[1], 0, -1)
table.sort(daemons)
return daemons
