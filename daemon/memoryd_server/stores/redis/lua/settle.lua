-- Tells whether an agent's last commit is another than the known one, and writes, so that a WAIT or WAITAOF after it
-- waits for all that was written before.
-- KEYS: shard, agent. ARGV: store id; known row id ("" for none).
-- Answers 1 when it is another, else 0; {"lost"} when the store is another one.
if redis.call('HGET', KEYS[1], 'store') ~= ARGV[1] then
  return {'lost'}
end
-- Nobody reads what is written. A full server refuses HSET, unless something that it does not refuse was written before.
redis.call('HDEL', KEYS[1], 'again')
redis.call('HSET', KEYS[1], 'again', '')
return (redis.call('HGET', KEYS[2], 'id') or '') == ARGV[2] and 0 or 1
