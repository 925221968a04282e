-- Appends what the parts of a review became and removes them. Returns 0, and does nothing, where one of them is gone.
-- KEYS: mark of the review, parts, decisions, reviews, told. ARGV: how long the mark stays (ms), numbers of ids, decisions,
-- late decisions, reviews and told, then all of these.
local at = 6
local function take(count)
  local taken = {}
  for i = 1, tonumber(count) do
    at = at + 1
    taken[i] = ARGV[at]
  end
  return taken
end
local ids, decisions, late = take(ARGV[2]), take(ARGV[3]), take(ARGV[4])
local reviews, told = take(ARGV[5]), take(ARGV[6])
for _, id in ipairs(ids) do
  if #redis.call('XRANGE', KEYS[2], id, id) == 0 then return 0 end
end
if #decisions > 0 then
  if redis.call('EXISTS', KEYS[1]) == 1 then decisions = late end
  for _, payload in ipairs(decisions) do redis.call('XADD', KEYS[3], '*', 'data', payload) end
  redis.call('SET', KEYS[1], '1', 'PX', ARGV[1])
end
for _, payload in ipairs(reviews) do redis.call('XADD', KEYS[4], '*', 'data', payload) end
for _, payload in ipairs(told) do redis.call('XADD', KEYS[5], '*', 'data', payload) end
redis.call('XDEL', KEYS[2], unpack(ids))
return 1
