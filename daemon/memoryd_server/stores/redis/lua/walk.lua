-- Reads an agent's rows backwards, from its last one or from a given one, up to a row at which to stop.
-- KEYS: shard, journal, agent, moved.
-- ARGV: store id; row id to begin with ("" for the last); the criterion to stop: "id", "time" or "revision"; its value
-- (an id, a time, or a revision); maximum number of rows; approximate maximum size; "1" to return only the oldest row.
-- Returns {ending, the next row id, the rows, newest first}. The ending is "lost" (the shard is of another store),
-- "found" (the next row is the one at which to stop), "start" (there are no earlier rows), "compacted" (the next row is
-- no longer retained), "fork" (another row is at or before the position of the id at which to stop), or "more" (a
-- maximum was reached).
if redis.call('HGET', KEYS[1], 'store') ~= ARGV[1] then
  return {'lost', '', {}}
end
-- Returns a row that was moved out of the stream, in the form of a stream's item.
local function moved_row(id)
  local position = position_of(id)
  local member = redis.call('ZRANGEBYSCORE', KEYS[4], position, position)[1]
  local row = member and read_moved(member)
  if row and row.id == id then
    return {id, {'a', row.a, 'p', row.p, 'l', row.l, 'b', row.b, 'r', row.r, 't', row.t, 'd', row.d}}
  end
end

local id, way, value = ARGV[2], ARGV[3], ARGV[4]
local rows_max, bytes_max, only_oldest = tonumber(ARGV[5]), tonumber(ARGV[6]), ARGV[7] == '1'
if id == '' then
  id = redis.call('HGET', KEYS[3], 'id') or ''
end
local stop_position = way == 'id' and tonumber(string.match(value, '^%d+') or '0')
local rows, count, bytes = {}, 0, 0
while id ~= '' do
  if way == 'id' then
    if id == value then
      return {'found', id, rows}
    elseif tonumber(string.match(id, '^%d+')) <= stop_position then
      return {'fork', id, rows}
    end
  end
  if count >= rows_max or bytes >= bytes_max then
    return {'more', id, rows}
  end
  local found = redis.call('XRANGE', KEYS[2], id, id)[1] or moved_row(id)
  if not found then
    return {'compacted', id, rows}
  end
  local fields, row = found[2], {}
  for index = 1, #fields, 2 do
    row[fields[index]] = fields[index + 1]
  end
  if (way == 'time' and row.t < value) or (way == 'revision' and tonumber(row.r) <= tonumber(value)) then
    return {'found', id, rows}
  end
  count = count + 1
  bytes = bytes + #(row.d or '')
  rows[only_oldest and 1 or count] = found
  id = row.p
end
return {'start', '', rows}
