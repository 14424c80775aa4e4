-- Replaces the data of an agent's rows.
-- A row cannot be changed in a stream, so it is moved out of it. The server does not overwrite rows that are deleted
-- from a stream: they stay in their block, in memory and in the server's files, until all rows of the block are
-- deleted. So the neighbours are moved, too, as many as a block may have by the server's settings.
-- KEYS: shard, journal, moved, moves.
-- ARGV: store id; agent id; maximum number of rows and approximate maximum size of a block; then positions and data.
-- Returns the number of replaced rows; {"lost"} if the shard is of another store.
if redis.call('HGET', KEYS[1], 'store') ~= ARGV[1] then
  return {'lost'}
end
local rows_max, bytes_max = tonumber(ARGV[3]), tonumber(ARGV[4])

local function placed(row)
  row.position = tonumber(position_of(row.id))
  -- The minimum size of the row in a block, where numbers take less space than their digits.
  row.bytes = #row.p + #row.l + #row.d
  return row
end

local function stream_row(found)
  if #found == 0 then
    return nil
  end
  local row = {id = found[1][1]}
  for index = 1, #found[1][2], 2 do
    row[found[1][2][index]] = found[1][2][index + 1]
  end
  return placed(row)
end

local function moved_row(position)
  local member = redis.call('ZRANGEBYSCORE', KEYS[3], position, position)[1]
  local row = member and placed(read_moved(member))
  if row then
    row.member = member
  end
  return row
end

local function move(row, data)
  -- Before ZADD: a server without memory refuses ZADD, unless the script has already written something.
  if row.member then
    redis.call('ZREM', KEYS[3], row.member)
  else
    redis.call('XDEL', KEYS[2], row.id)
  end
  redis.call('ZADD', KEYS[3], position_of(row.id), write_moved(row, data))
end

-- Return the next row in the stream before or after a position, if it may be in the same block as ``row``.
local function row_before(position, row)
  local from, to = string.format('%.0f', position - 1), string.format('%.0f', math.max(row.position - rows_max + 1, 0))
  return position > 0 and stream_row(redis.call('XREVRANGE', KEYS[2], from, to, 'COUNT', 1)) or nil
end

local function row_after(position, row)
  local from, to = string.format('%.0f', position + 1), string.format('%.0f', row.position + rows_max - 1)
  return stream_row(redis.call('XRANGE', KEYS[2], from, to, 'COUNT', 1))
end

-- Moves all rows that may be in the same block as a row: the earlier ones that together do not fill a block, and the
-- later ones until the row and those after it fill one.
local function move_neighbours(row)
  local earlier, bytes = row_before(row.position, row), 0
  while earlier and bytes + earlier.bytes < bytes_max do
    bytes = bytes + earlier.bytes
    move(earlier, earlier.d)
    earlier = row_before(earlier.position, row)
  end
  local later = row_after(row.position, row)
  bytes = row.bytes
  while later and bytes < bytes_max do
    bytes = bytes + later.bytes
    move(later, later.d)
    later = row_after(later.position, row)
  end
end

local replaced = 0
for index = 5, #ARGV, 2 do
  local row = stream_row(redis.call('XRANGE', KEYS[2], ARGV[index], ARGV[index])) or moved_row(ARGV[index])
  if row and row.a == ARGV[2] then
    move_neighbours(row)
    move(row, ARGV[index + 1])
    replaced = replaced + 1
  end
end
if replaced > 0 then
  redis.call('XADD', KEYS[4], 'MAXLEN', 1, '*', 'rows', replaced)
end
return replaced
