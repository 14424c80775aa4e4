-- Announces a daemon, and returns the ids of all current daemons.
-- KEYS: daemons. ARGV: the daemon's id; milliseconds without an announcement after which a daemon is removed.
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
-- Before ZADD: a server without memory refuses ZADD, unless the script has already written something.
redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', now - ARGV[2])
redis.call('ZADD', KEYS[1], now, ARGV[1])
local daemons = redis.call('ZRANGE', KEYS[1], 0, -1)
table.sort(daemons)
return daemons
