#!lua flags=allow-oom
-- Acknowledges an entry and appends its dead letter, once. Returns 1 when the dead letter was appended.
-- KEYS: stream, dead letters, set of lost ids, ids that were dead-lettered (by their time).
-- ARGV: group, id, the id's milliseconds, data before and after the delivery count, maximum length (or ''), then
-- the other fields of the dead letter.
local stream, letters, lost, done = KEYS[1], KEYS[2], KEYS[3], KEYS[4]
local group, id = ARGV[1], ARGV[2]

-- Entries that nobody ever read are one lost id, which is no entry's.
local never_read = string.find(id, '+', 1, true)
local pending = never_read and {} or redis.pcall('XPENDING', stream, group, id, id, 1)
if pending.err then
  if not string.find(pending.err, 'NOGROUP', 1, true) then return pending end
  pending = {}
end
local is_lost = redis.call('SISMEMBER', lost, id) == 1
if #pending == 0 and not is_lost then return 0 end

local appended = 0
if not redis.call('ZSCORE', done, id) then
  local deliveries = pending[1] and pending[1][4] or 0
  local call = { 'XADD', letters }
  if ARGV[6] ~= '' then
    call[3], call[4], call[5] = 'MAXLEN', '~', ARGV[6]
  end
  call[#call + 1] = '*'
  for i = 7, #ARGV do call[#call + 1] = ARGV[i] end
  call[#call + 1] = 'data'
  call[#call + 1] = ARGV[4] .. deliveries .. ARGV[5]
  local entry = redis.pcall(unpack(call))
  if entry.err then return entry end
  redis.call('ZADD', done, ARGV[3], id)
  appended = 1
  -- An entry that is no longer in the stream cannot come again, so its id need not be kept.
  if redis.call('ZCARD', done) % 64 == 0 then
    local first = redis.call('XRANGE', stream, '-', '+', 'COUNT', 1)[1]
    local limit = first and '(' .. string.match(first[1], '^%d+') or '+inf'
    redis.call('ZREMRANGEBYSCORE', done, '-inf', limit)
  end
end
if #pending > 0 then redis.call('XACK', stream, group, id) end
if is_lost then redis.call('SREM', lost, id) end
return appended
