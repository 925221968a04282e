#!lua
-- If the cursor is where the caller thinks, appends the messages and moves it. Returns 1, or 0 when it is elsewhere.
-- KEYS: cursor, then the streams. ARGV: the cursor's value before and after, maximum length (or ''), then eight for each
-- message: the number of its stream in KEYS, schema, idempotency key, tenant, timestamp, traceparent (or ''), tracestate
-- (or ''), data.
--
-- A script is not rolled back when a command in it fails, so this one undoes by itself what it did.
if (redis.call('GET', KEYS[1]) or '') ~= ARGV[1] then return 0 end
for i = 2, #KEYS do
  local kind = redis.call('TYPE', KEYS[i]).ok
  if kind ~= 'stream' and kind ~= 'none' then
    return redis.error_reply('WRONGTYPE ' .. KEYS[i] .. ' is a ' .. kind .. ', not a stream')
  end
end

redis.call('SET', KEYS[1], ARGV[2])
local added = {}
for i = 4, #ARGV, 8 do
  local stream = KEYS[tonumber(ARGV[i])]
  local call = { 'XADD', stream }
  if ARGV[3] ~= '' then
    call[3], call[4], call[5] = 'MAXLEN', '~', ARGV[3]
  end
  call[#call + 1] = '*'
  for n, name in ipairs({ 'schema', 'idempotency_key', 'tenant_id', 'timestamp', 'traceparent', 'tracestate', 'data' }) do
    if string.sub(name, 1, 5) ~= 'trace' or ARGV[i + n] ~= '' then
      call[#call + 1] = name
      call[#call + 1] = ARGV[i + n]
    end
  end
  local id = redis.pcall(unpack(call))
  if type(id) == 'table' and id.err then
    for _, one in ipairs(added) do redis.pcall('XDEL', one[1], one[2]) end
    if ARGV[1] == '' then redis.call('DEL', KEYS[1]) else redis.call('SET', KEYS[1], ARGV[1]) end
    return id
  end
  added[#added + 1] = { stream, id }
end
return 1
