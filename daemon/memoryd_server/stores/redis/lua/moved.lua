-- What other scripts begin with: how a row is written that is no longer in the stream, as a member of a sorted set. It is
-- what row.py reads: the row's id and the fields p, l, b, r, t, the length of a, and a and d together.
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

