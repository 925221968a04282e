#!lua flags=allow-oom
-- Makes keys what they shall be, whatever they were. Returns how many changed.
-- KEYS: the keys. ARGV: for each key 1 and its value, or 0 and anything where there shall be no key.
--
-- Also where memory is short: a rule that was taken back must leave the prompts, and these keys are few and small.
local changed = 0
for i, key in ipairs(KEYS) do
  if ARGV[2 * i - 1] == '1' then
    redis.call('SET', key, ARGV[2 * i])
    changed = changed + 1
  else
    changed = changed + redis.call('DEL', key)
  end
end
return changed
