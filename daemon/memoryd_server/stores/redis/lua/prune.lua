-- Drops rows from the front of a shard's journal: all but the last ones, and those before a time. Forgets the heads of
-- ended agents whose last row has gone, when they are named.
-- KEYS: shard, journal, ended, then agents to forget.
-- ARGV: store id; rows to retain; oldest time to retain (20 digits); the most rows to drop by time, and the most agents
-- to answer; then the ids of the agents to forget.
-- Answers {how many rows were dropped, the ids of agents to forget the next time}; {"lost"} when the store is another one.
if redis.call('HGET', KEYS[1], 'store') ~= ARGV[1] then
  return {'lost'}
end
local function field_of(row, name)
  for index = 1, #row[2], 2 do
    if row[2][index] == name then
      return row[2][index + 1]
    end
  end
end

local dropped = redis.call('XTRIM', KEYS[2], 'MAXLEN', ARGV[2])
local dropped_by_time, at_once = 0, 1
while dropped_by_time < tonumber(ARGV[4]) do
  -- Mostly the first row is young enough; and rows may be large.
  local rows = redis.call('XRANGE', KEYS[2], '-', '+', 'COUNT', at_once)
  local old, bytes = 0, 0
  while old < #rows and field_of(rows[old + 1], 't') < ARGV[3] do
    old = old + 1
    bytes = bytes + #(field_of(rows[old], 'd') or '')
  end
  if old > 0 then
    redis.call('XTRIM', KEYS[2], 'MAXLEN', redis.call('XLEN', KEYS[2]) - old)
    dropped_by_time = dropped_by_time + old
  end
  if old < at_once then
    break
  end
  at_once = bytes < 65536 and 100 or 1
end
local first = redis.call('XRANGE', KEYS[2], '-', '+', 'COUNT', 1)
local first_position = #first > 0 and string.match(first[1][1], '^%d+')
for index = 4, #KEYS do
  local agent_id = ARGV[index + 1]
  local position = redis.call('ZSCORE', KEYS[3], agent_id)
  -- It may have begun anew since it was answered.
  if position and (not first_position or tonumber(position) < tonumber(first_position)) then
    redis.call('UNLINK', KEYS[index])
    redis.call('ZREM', KEYS[3], agent_id)
  end
end
local bound = first_position and '(' .. first_position or '+inf'
return {dropped + dropped_by_time, redis.call('ZRANGEBYSCORE', KEYS[3], '-inf', bound, 'LIMIT', 0, ARGV[4])}
