-- Keeps a part of a review, unless a part of the same delivery was kept before. Returns 1 when it was kept.
-- KEYS: mark of the delivery, parts. ARGV: how long the mark stays (ms), the part.
if redis.call('EXISTS', KEYS[1]) == 1 then return 0 end
redis.call('XADD', KEYS[2], '*', 'part', ARGV[2])
redis.call('SET', KEYS[1], '1', 'PX', ARGV[1])
return 1
