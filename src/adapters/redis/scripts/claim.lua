-- Takes over what other members left, as much as fits, and keeps the ids that turn out to be trimmed.
-- KEYS: stream, set of lost ids. ARGV: group, consumer, least idle time (ms), cursor, most entries, most bytes, the
-- largest entry in bytes.
--
-- XAUTOCLAIM drops trimmed entries from the pending list; the set keeps them until they are dead-lettered, so that
-- a kill between this and the record does not lose them silently.
local cursor, most, bytes, largest = ARGV[4], tonumber(ARGV[5]), tonumber(ARGV[6]), tonumber(ARGV[7])
local items, trimmed, sum, rounds = {}, {}, 0, 0
repeat
  local claimed = redis.pcall('XAUTOCLAIM', KEYS[1], ARGV[1], ARGV[2], ARGV[3], cursor, 'COUNT', 1)
  if claimed.err then return claimed end
  cursor, rounds = claimed[1], rounds + 1
  for _, item in ipairs(claimed[2]) do
    local size
    items[#items + 1], size = measured(item, largest)
    sum = sum + size
  end
  for _, id in ipairs(claimed[3] or {}) do
    redis.call('SADD', KEYS[2], id)
    trimmed[#trimmed + 1] = id
  end
until cursor == '0-0' or rounds >= most or sum >= bytes
return { cursor, items, trimmed }
