-- The beginning of other scripts: it encodes a row that was moved out of the stream as a member of a sorted set. The
-- member has the row's id, the fields p, l, b, r, t, the length of a, then a and d together; row.py decodes it, too.
local function read_moved(member)
  local row, length, rest = {}, nil, nil
  row.id, row.p, row.l, row.b, row.r, row.t, length, rest =
    string.match(member, '^(%S+) (%S*) (%S+) (%d+) (%d+) (%d+) (%d+) (.*)$')
  row.a, row.d = string.sub(rest, 1, length), string.sub(rest, length + 1)
  return row
end

local function write_moved(row, data)
  return table.concat({row.id, row.p, row.l, row.b, row.r, row.t, #row.a, row.a .. data}, ' ')
end

local function position_of(id)
  return string.match(id, '^%d+')
end

