#!lua flags=allow-oom
-- Bodies of entries by their size. The other scripts that hand out entries begin with this one.
--
-- The server holds each entry anyway. What is too large for us must not come over at all: of such an entry we pass on how
-- large it is, a digest, and how its fields begin.
local KEPT_FIELDS, KEPT_BYTES = 32, 1024

local function size_of(fields)
  local size = 0
  for _, part in ipairs(fields) do size = size + #part end
  return size
end

-- An entry as it is handed out, and its size: { id, fields }, { id, false } where it was trimmed, or
-- { id, beginnings, size, digest } where it is larger than `largest`. The digest is the SHA-1 of the hexadecimal SHA-1 of
-- each name and value in turn.
local function measured(item, largest)
  local id, fields = item[1], item[2]
  if not fields then return { id, false }, 0 end
  local size = size_of(fields)
  if size <= largest then return item, size end
  local digests, beginnings = {}, {}
  for i, part in ipairs(fields) do
    digests[i] = redis.sha1hex(part)
    if i <= 2 * KEPT_FIELDS then beginnings[i] = string.sub(part, 1, KEPT_BYTES) end
  end
  return { id, beginnings, size, redis.sha1hex(table.concat(digests)) }, KEPT_FIELDS * KEPT_BYTES
end

