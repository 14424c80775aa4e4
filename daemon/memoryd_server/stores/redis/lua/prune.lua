-- Deletes rows from the front of a shard's journal: all but the last ones, and those before a time. Deletes the heads
-- of the named ended agents if their last row was deleted.
-- KEYS: shard, journal, ended, moved, then the agents whose heads are to be deleted.
-- ARGV: store id; number of rows to retain; oldest time to retain (20 digits); maximum number of rows to delete by
-- time, and of agent ids to return; then the ids of the agents whose heads are to be deleted.
-- Returns {number of deleted rows, ids of agents to pass in the next call}; {"lost"} if the shard is of another store.
local shard = redis.call('HMGET', KEYS[1], 'store', 'last')
if shard[1] ~= ARGV[1] then
  return {'lost'}
end

-- Deletes the rows before a position, in the stream and moved ones. Returns their number.
local function drop_before(position)
  local id = string.format('%.0f', position)
  return redis.call('XTRIM', KEYS[2], 'MINID', id) + redis.call('ZREMRANGEBYSCORE', KEYS[4], '-inf', '(' .. id)
end

-- Returns the positions, commit times and sizes of the oldest rows in the stream, in order.
local function stream_rows(count)
  local rows = {}
  for number, found in ipairs(redis.call('XRANGE', KEYS[2], '-', '+', 'COUNT', count)) do
    local row = {position = tonumber(position_of(found[1])), bytes = 0}
    for index = 1, #found[2], 2 do
      if found[2][index] == 't' then
        row.time = found[2][index + 1]
      end
      row.bytes = row.bytes + #found[2][index + 1]
    end
    rows[number] = row
  end
  return rows
end

local function moved_rows(count)
  local rows = {}
  for number, member in ipairs(redis.call('ZRANGE', KEYS[4], 0, count - 1)) do
    local row = read_moved(member)
    rows[number] = {position = tonumber(position_of(row.id)), time = row.t, bytes = #member}
  end
  return rows
end

-- Returns the position of the first row that is young enough. If none is, returns the position after the last row if
-- more rows may follow, else infinity.
local function first_young(rows, count)
  for _, row in ipairs(rows) do
    if row.time >= ARGV[3] then
      return row.position
    end
  end
  return #rows == count and rows[#rows].position + 1 or math.huge
end

local last = tonumber(position_of(shard[2] or '0'))
local dropped = drop_before(math.max(last - ARGV[2] + 1, 0))
local dropped_by_time, at_once = 0, 1
while dropped_by_time < tonumber(ARGV[4]) do
  -- Begin with one row: usually the first one is young enough, and rows may be large.
  local in_stream, moved = stream_rows(at_once), moved_rows(at_once)
  local young = math.min(first_young(in_stream, at_once), first_young(moved, at_once), last + 1)
  local old = drop_before(young)
  dropped_by_time = dropped_by_time + old
  if old < at_once then
    break
  end
  local bytes = 0
  for _, rows in ipairs({in_stream, moved}) do
    for _, row in ipairs(rows) do
      bytes = bytes + row.bytes
    end
  end
  at_once = bytes < 65536 and 100 or 1
end
local first_row, first_moved = stream_rows(1)[1], moved_rows(1)[1]
local first = math.min(first_row and first_row.position or math.huge, first_moved and first_moved.position or math.huge)
for index = 5, #KEYS do
  local agent_id = ARGV[index]
  local position = redis.call('ZSCORE', KEYS[3], agent_id)
  -- The agent may have been created again since its id was returned: then it is no longer in the set of ended agents.
  if position and tonumber(position) < first then
    redis.call('UNLINK', KEYS[index])
    redis.call('ZREM', KEYS[3], agent_id)
  end
end
local bound = first < math.huge and string.format('(%.0f', first) or '+inf'
return {dropped + dropped_by_time, redis.call('ZRANGEBYSCORE', KEYS[3], '-inf', bound, 'LIMIT', 0, ARGV[4])}
