#!lua flags=allow-oom
-- Notes this daemon's name, and removes members of a group that hold nothing: those that this daemon was called before, and
-- others that did nothing for long. Whoever is removed and reads again is a member again. Returns how many went.
-- KEYS: stream, names of this daemon. ARGV: group, its name now, how long others must have done nothing (ms).
redis.call('SADD', KEYS[2], ARGV[2])
local members = redis.pcall('XINFO', 'CONSUMERS', KEYS[1], ARGV[1])
if members.err then return 0 end
local gone = 0
for _, facts in ipairs(members) do
  local member = {}
  for i = 1, #facts, 2 do member[facts[i]] = facts[i + 1] end
  local over = redis.call('SISMEMBER', KEYS[2], member.name) == 1 or member.idle >= tonumber(ARGV[3])
  if member.name ~= ARGV[2] and member.pending == 0 and over then
    redis.call('XGROUP', 'DELCONSUMER', KEYS[1], ARGV[1], member.name)
    gone = gone + 1
  end
end
return gone
