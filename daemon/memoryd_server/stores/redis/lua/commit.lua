-- Carries out one commit if the agent's last commit and revision are the expected ones: writes the row, the records and
-- the head. Otherwise changes nothing of the agent.
-- KEYS: shard, journal, agent, agents, deadlines, ended, moved.
-- ARGV: store id; agent id; expected row id ("" for none); nonce; head; deadline (20 digits, "" for none); "1" if the
-- agent has ended; "1" if earlier records are dropped; approximate number of rows to retain; base revision; revision;
-- commit time; row data; number of puts; "1" for a removal; then fields and values to put; then fields to delete.
-- Returns the row's position, or a table: {"lost"} (the shard is not of this store), {"conflict"}.
local store_id, agent_id, expected, nonce = ARGV[1], ARGV[2], ARGV[3], ARGV[4]
local shard = redis.call('HMGET', KEYS[1], 'store', 'last')
if shard[1] ~= store_id then
  return {'lost'}
end
local known = redis.call('HMGET', KEYS[3], 'id', 'due', 'head')
local id = known[1] or ''
local revision = known[3] and cmsgpack.unpack(known[3])[1] or 0
if id ~= expected or revision ~= tonumber(ARGV[10]) then
  -- The commit may have been carried out already, and be sent again because the reply was lost. Write something, so
  -- that the WAIT or WAITAOF after this script waits until the earlier write is durable, too.
  redis.call('HSET', KEYS[1], 'again', nonce)
  local position, last_nonce = string.match(id, '^(%d+)-(%d+)$')
  if last_nonce == nonce then
    return tonumber(position)
  end
  return {'conflict'}
end
local last = shard[2] or '0-0'
local position = tonumber(string.match(last, '^%d+')) + 1
local row_id = string.format('%.0f-%s', position, nonce)
local retained = string.format('%.0f', math.max(position - ARGV[9] + 1, 0))
if ARGV[15] == '1' then
  -- A server without memory refuses only the first write of a script, and only if it can take memory. This one cannot,
  -- so that a removal is carried out. No record has this name.
  redis.call('HDEL', KEYS[3], '/')
end
-- The first write, unless this is a removal: a server without memory refuses it, and then nothing was written.
redis.call('XADD', KEYS[2], 'MINID', '~', retained, row_id, 'a', agent_id, 'p', id, 'l', last,
  'b', ARGV[10], 'r', ARGV[11], 't', ARGV[12], 'd', ARGV[13])
redis.call('HSET', KEYS[1], 'last', row_id)
if redis.call('ZCOUNT', KEYS[7], '-inf', '(' .. retained) > 0 then
  -- XADD trims approximately, so the stream may begin earlier than it has to. Delete moved rows only before its first
  -- row: the retained rows must have no hole.
  local first = string.match(redis.call('XRANGE', KEYS[2], '-', '+', 'COUNT', 1)[1][1], '^%d+')
  redis.call('ZREMRANGEBYSCORE', KEYS[7], '-inf', '(' .. (tonumber(first) < tonumber(retained) and first or retained))
end
if ARGV[8] == '1' then
  redis.call('UNLINK', KEYS[3])
end
local puts_end = 15 + 2 * tonumber(ARGV[14])
for first = 16, puts_end, 2000 do
  redis.call('HSET', KEYS[3], unpack(ARGV, first, math.min(first + 1999, puts_end)))
end
for first = puts_end + 1, #ARGV, 2000 do
  redis.call('HDEL', KEYS[3], unpack(ARGV, first, math.min(first + 1999, #ARGV)))
end
redis.call('HSET', KEYS[3], 'id', row_id, 'head', ARGV[5], 'due', ARGV[6])
local tally, earlier = cmsgpack.unpack(ARGV[5])[7], known[3] and cmsgpack.unpack(known[3])[7]
for index = 1, #tally do
  local growth = tally[index] - (earlier and earlier[index] or 0)
  if growth ~= 0 then
    redis.call('HINCRBY', KEYS[1], 'tally' .. index, growth)
  end
end
local due = known[2] or ''
if due ~= ARGV[6] then
  if due ~= '' then
    redis.call('ZREM', KEYS[5], due .. agent_id)
  end
  if ARGV[6] ~= '' then
    redis.call('ZADD', KEYS[5], 0, ARGV[6] .. agent_id)
  end
end
if ARGV[7] == '1' then
  redis.call('ZREM', KEYS[4], agent_id)
  redis.call('ZADD', KEYS[6], position, agent_id)
elseif redis.call('ZADD', KEYS[4], 0, agent_id) == 1 then
  redis.call('ZREM', KEYS[6], agent_id)
end
return position
