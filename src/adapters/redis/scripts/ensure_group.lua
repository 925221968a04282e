#!lua flags=allow-oom
-- Makes the group at 0, once. Returns the mark of the group's making.
-- KEYS: stream, mark. ARGV: group, the mark of the group that was lost (or '').
--
-- A group that is there although nobody of us made it (no mark, or still the mark of the one that was lost) may
-- stand anywhere, e.g. at `$`: it is set back to 0, and what was seen before is recognised downstream.
local made = redis.pcall('XGROUP', 'CREATE', KEYS[1], ARGV[1], '0', 'MKSTREAM')
if made.err then
  if not string.find(made.err, 'BUSYGROUP', 1, true) then return made end
  local mark = redis.call('GET', KEYS[2])
  if mark and mark ~= ARGV[2] then return mark end
  redis.call('XGROUP', 'SETID', KEYS[1], ARGV[1], '0')
end
local now = redis.call('TIME')
local mark = now[1] .. '.' .. now[2]
redis.call('SET', KEYS[2], mark)
return mark
