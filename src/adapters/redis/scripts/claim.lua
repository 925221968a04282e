#!lua flags=allow-oom
-- Takes over what other members left, and keeps the ids that turn out to be trimmed.
-- KEYS: stream, set of lost ids. ARGV: group, consumer, least idle time (ms), cursor, count.
--
-- XAUTOCLAIM drops trimmed entries from the pending list; the set keeps them until they are dead-lettered, so that
-- a kill between this and the record does not lose them silently.
local claimed = redis.call('XAUTOCLAIM', KEYS[1], ARGV[1], ARGV[2], ARGV[3], ARGV[4], 'COUNT', ARGV[5])
for _, id in ipairs(claimed[3] or {}) do
  redis.call('SADD', KEYS[2], id)
end
return claimed
