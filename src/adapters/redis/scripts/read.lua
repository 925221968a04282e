-- Reads what a member of a group is to be given, without waiting: as many entries of each stream as fit.
-- KEYS: for each stream itself, and the set of its lost ids.
-- ARGV: group, consumer, most entries and most bytes of each stream, the largest entry in bytes; then for each stream `>`, or
-- the id after which the member's own backlog is read. Returns for each stream its entries, or what is wrong with it.
--
-- One entry at a time: what is read enters the pending list, so it cannot be put back.
local group, consumer = ARGV[1], ARGV[2]
local most, bytes, largest = tonumber(ARGV[3]), tonumber(ARGV[4]), tonumber(ARGV[5])

-- Entries that were trimmed before anybody read them are known by their number alone. They are noted as one lost id, the
-- one after which they were, with a `+` and how many; the group's counter is set right, lest they be counted again.
local function note_unread(stream, lost)
  local groups = redis.pcall('XINFO', 'GROUPS', stream)
  -- What is wrong with the stream is told by the read.
  if groups.err then return end
  for _, flat in ipairs(groups) do
    local info = {}
    for i = 1, #flat, 2 do info[flat[i]] = flat[i + 1] end
    if info.name == group and info.lag then
      local length = redis.call('XLEN', stream)
      local unread = info.lag - length
      if unread > 0 then
        local last = info['last-delivered-id']
        redis.call('SADD', lost, last .. '+' .. unread)
        redis.call('XGROUP', 'SETID', stream, group, last, 'ENTRIESREAD', (info['entries-read'] or 0) + unread)
        return last .. '+' .. unread
      end
    end
  end
end

local function read(stream, lost, after)
  local items, sum = {}, 0
  if after == '>' then
    local unread = note_unread(stream, lost)
    if unread then items[1] = { unread, false } end
  end
  while #items < most and sum < bytes do
    local reply = redis.pcall('XREADGROUP', 'GROUP', group, consumer, 'COUNT', 1, 'STREAMS', stream, after)
    if not reply then break end
    if reply.err then return reply.err end
    local item = reply[1] and reply[1][2][1]
    if not item then break end
    if after ~= '>' then after = item[1] end
    local size
    items[#items + 1], size = measured(item, largest)
    sum = sum + size
  end
  return items
end

local answer = {}
for i = 1, #KEYS, 2 do
  answer[#answer + 1] = read(KEYS[i], KEYS[i + 1], ARGV[5 + (i + 1) / 2])
end
return answer
