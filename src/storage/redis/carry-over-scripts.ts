/**
 * KEYS: the marker, the ledger's days. ARGV: which files, and how long that is remembered. The files are taken along if
 * nothing was ever counted in this Redis, or if they were begun before. Returns how far, or nothing.
 */
export const BEGIN = `
  local source = redis.call('HGET', KEYS[1], 'source')
  if not source then
    for i = 2, #KEYS do if redis.call('EXISTS', KEYS[i]) == 1 then return {} end end
    redis.call('HSET', KEYS[1], 'source', ARGV[1])
    redis.call('PEXPIRE', KEYS[1], ARGV[2])
  elseif source ~= ARGV[1] then
    return {}
  end
  local at = redis.call('HMGET', KEYS[1], 'counts', 'cards', 'done')
  return {at[1] or '', at[2] or '', at[3] or ''}
`;

/**
 * Runs commands, each preceded by its number of words, and moves the marker's field ARGV[1] from ARGV[2] to ARGV[3] with
 * them: only once, however often it is sent. Returns where the field is.
 */
export const MOVE = `
  local at = redis.call('HGET', KEYS[1], ARGV[1]) or ''
  if at ~= ARGV[2] then return at end
  redis.call('HSET', KEYS[1], ARGV[1], ARGV[3])
  local i = 4
  while i <= #ARGV do
    redis.call(unpack(ARGV, i + 1, i + tonumber(ARGV[i])))
    i = i + 1 + tonumber(ARGV[i])
  end
  return ARGV[3]
`;
