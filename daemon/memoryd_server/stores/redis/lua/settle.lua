-- Compares an agent's last commit with the known one, and writes something, so that a WAIT or WAITAOF after this script
-- waits until all earlier writes are durable.
-- KEYS: shard, agent. ARGV: store id; known row id ("" for none).
-- Returns 1 if the last commit is another one, else 0; {"lost"} if the shard is of another store.
if redis.call('HGET', KEYS[1], 'store') ~= ARGV[1] then
  return {'lost'}
end
-- The written field is never read. HDEL comes first: a server without memory refuses HSET, unless the script has
-- already written something.
redis.call('HDEL', KEYS[1], 'again')
redis.call('HSET', KEYS[1], 'again', '')
return (redis.call('HGET', KEYS[2], 'id') or '') == ARGV[2] and 0 or 1
