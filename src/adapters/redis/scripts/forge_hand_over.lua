-- Appends what the parts of a review became, remembers what was said and removes the parts. Returns 0, and does nothing,
-- where one of them is gone or something else was said before than the caller knows.
-- KEYS: mark of the review, parts, decisions, reviews. ARGV: how long the mark stays (ms), what the mark says, what it shall
-- say, numbers of ids, decisions and reviews, then all of these.
local at = 6
local function take(count)
  local taken = {}
  for i = 1, tonumber(count) do
    at = at + 1
    taken[i] = ARGV[at]
  end
  return taken
end
local ids, decisions, reviews = take(ARGV[4]), take(ARGV[5]), take(ARGV[6])
if (redis.call('GET', KEYS[1]) or '') ~= ARGV[2] then return 0 end
for _, id in ipairs(ids) do
  if #redis.call('XRANGE', KEYS[2], id, id) == 0 then return 0 end
end
for _, payload in ipairs(decisions) do redis.call('XADD', KEYS[3], '*', 'data', payload) end
if ARGV[3] ~= '' then redis.call('SET', KEYS[1], ARGV[3], 'PX', ARGV[1]) end
for _, payload in ipairs(reviews) do redis.call('XADD', KEYS[4], '*', 'data', payload) end
if #ids > 0 then redis.call('XDEL', KEYS[2], unpack(ids)) end
return 1
