-- Drops rows from the front of a shard's journal: all but the last ones, and those before a time. Forgets the heads of
-- ended agents whose last row has gone.
-- KEYS: shard, journal, ended. ARGV: store id; rows to retain; oldest time to retain (20 digits); what the keys of
-- agents begin with.
-- Answers how many were dropped, at most a thousand by time; {"lost"} when the store is another one.
if redis.call('HGET', KEYS[1], 'store') ~= ARGV[1] then
  return {'lost'}
end
local function time_of(row)
  for index = 1, #row[2], 2 do
    if row[2][index] == 't' then
      return row[2][index + 1]
    end
  end
end

local dropped = redis.call('XTRIM', KEYS[2], 'MAXLEN', ARGV[2])
for _ = 1, 10 do
  local rows = redis.call('XRANGE', KEYS[2], '-', '+', 'COUNT', 100)
  local old = 0
  while old < #rows and time_of(rows[old + 1]) < ARGV[3] do
    old = old + 1
  end
  if old > 0 then
    dropped = dropped + redis.call('XTRIM', KEYS[2], 'MAXLEN', redis.call('XLEN', KEYS[2]) - old)
  end
  if old < 100 then
    break
  end
end
local first = redis.call('XRANGE', KEYS[2], '-', '+', 'COUNT', 1)
local bound = '+inf'
if #first > 0 then
  bound = '(' .. string.match(first[1][1], '^%d+')
end
for _, agent_id in ipairs(redis.call('ZRANGEBYSCORE', KEYS[3], '-inf', bound)) do
  redis.call('UNLINK', ARGV[4] .. agent_id)
  redis.call('ZREM', KEYS[3], agent_id)
end
return dropped
