-- Adds an entry to a stream, once for each dead letter. Returns {1, note} when it was added, else {0, the note that was there}.
-- KEYS: stream, notes by dead letter.
-- ARGV: the dead letter's key, the note as JSON, then the entry's fields.
local before = redis.call('HGET', KEYS[2], ARGV[1])
if before then return { 0, before } end
local id = redis.call('XADD', KEYS[1], '*', unpack(ARGV, 3))
local note = cjson.decode(ARGV[2])
note.entry_id = id
local text = cjson.encode(note)
redis.call('HSET', KEYS[2], ARGV[1], text)
return { 1, text }
