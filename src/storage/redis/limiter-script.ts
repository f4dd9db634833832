import { z } from 'zod';
import { DAY_MS } from '../../time/utc-day.ts';

/** Longer than a quota window, so that nothing that still counts expires. */
const KEPT_MS = 35 * DAY_MS;
/** No process tells another that a request has ended. */
const UNDER_WAY_RETRY_MS = 250;

/**
 * Reads what all processes share, and takes a token (`take`) or writes a state (`write`), if nothing has changed meanwhile
 * that matters to it. One hash; every time in it is by Redis's clock:
 * - `era`: a name for what is stored; another one when Redis has lost it meanwhile
 * - `state`: JSON; `version` numbers its writes, by the clock, so that no number of one that is lost in a failover comes again;
 *   `terms` is the last of them that changed what permits depend on
 * - `fullAtMs`: the token bucket of pace.ts
 * - `remaining`, `remainingUntilMs`: requests left of the day, as last believed
 * - `probeOf`: the process that holds the probe
 * - `lost`: requests that processes had under way when they died, until a written state has counted them
 * - `underWay:<process>`: its permits; `waiting:<process>`: since when it waits for a token, and until when one is left to it
 * - `writer`: who may write next, and until when
 *
 * Every call tells how many permits the process holds, so that a lost answer is corrected by the next call.
 */
export const LIMITER_SCRIPT = `
  local limiter, operation, era = KEYS[1], ARGV[3], ARGV[4]
  local version, underWay = tonumber(ARGV[5]), tonumber(ARGV[6])
  local function ms(number) return string.format('%.3f', number) end
  local fields, stored = redis.call('HGETALL', limiter), {}
  for i = 1, #fields, 2 do stored[fields[i]] = fields[i + 1] end
  local sinceMs, mineUntilMs = string.match(stored['waiting:' .. self] or '', '^(%S+) (%S+)$')
  if not sinceMs or tonumber(mineUntilMs) < nowMs then sinceMs = ms(time[1] * 1000 + time[2] / 1000) end
  local others, ahead, lost = 0, 0, tonumber(stored.lost or '0')
  for i = 1, #fields, 2 do
    local kind, owner = string.match(fields[i], '^(%a+):(.+)$')
    if kind and owner ~= self then
      local first, untilMs = string.match(fields[i + 1], '^(%S+) ?(%S*)$')
      if isDead(owner) or (kind == 'waiting' and tonumber(untilMs) < nowMs) then
        redis.call('HDEL', limiter, fields[i])
        if kind == 'underWay' then lost = redis.call('HINCRBY', limiter, 'lost', first) end
      elseif kind == 'underWay' then others = others + tonumber(first)
      elseif tonumber(first) < tonumber(sinceMs) then ahead = ahead + 1 end
    end
  end

  local result, untilMs, fullAtMs = 'done', 0, tonumber(stored.fullAtMs or '0')
  local isCurrent = era == (stored.era or '')
  if operation == 'take' then
    local intervalMs, capacity, heldBackMs, graceMs = tonumber(ARGV[7]), tonumber(ARGV[8]), tonumber(ARGV[9]), ARGV[10]
    local mostUnderWay = tonumber(ARGV[11])
    local emptyAtMs = math.min(math.max(fullAtMs, nowMs), nowMs + capacity * intervalMs)
    local tokenAtMs = nowMs
    if heldBackMs then tokenAtMs = emptyAtMs - (capacity - 1) * intervalMs + heldBackMs + ahead * intervalMs end
    local remaining, remainingUntilMs = tonumber(stored.remaining or ''), tonumber(stored.remainingUntilMs or '')
    -- With nothing under way one more may always leave.
    if remaining and nowMs < remainingUntilMs then mostUnderWay = math.min(mostUnderWay, math.max(remaining, 1)) end
    if not isCurrent or version < tonumber(stored.terms or '0') then
      result = 'changed'
    elseif others + underWay >= mostUnderWay then
      result, untilMs = 'wait', nowMs + math.min(intervalMs, ${UNDER_WAY_RETRY_MS})
    elseif tokenAtMs > nowMs then
      result, untilMs = 'wait', tokenAtMs
      local leftUntilMs = ms(tokenAtMs + (tonumber(graceMs) or 0))
      if graceMs ~= '' then redis.call('HSET', limiter, 'waiting:' .. self, sinceMs .. ' ' .. leftUntilMs) end
    else
      fullAtMs, underWay = math.min(emptyAtMs + intervalMs, nowMs + capacity * intervalMs), underWay + 1
      redis.call('HSET', limiter, 'fullAtMs', ms(fullAtMs))
      redis.call('HDEL', limiter, 'waiting:' .. self)
    end
  elseif operation == 'write' then
    local writer, writerUntilMs = string.match(stored.writer or '', '^(%S+) (%S+)$')
    local isReserved = writer and writer ~= self and tonumber(writerUntilMs) > nowMs
    if isCurrent and version == tonumber(stored.version or '0') and not isReserved then
      local chargedMs, fillsInMs, pausedUntilMs = tonumber(ARGV[9]), tonumber(ARGV[10]), tonumber(ARGV[11])
      fullAtMs = math.min(math.max(fullAtMs, nowMs) + chargedMs, math.max(nowMs, pausedUntilMs) + fillsInMs)
      stored.era, stored.version = stored.era or (self .. ' ' .. ms(nowMs)), math.max(version + 1, nowMs)
      stored.state, stored.probeOf = ARGV[7], ARGV[12]
      redis.call('HSET', limiter, 'era', stored.era, 'version', stored.version, 'state', stored.state,
        'fullAtMs', ms(fullAtMs), 'probeOf', stored.probeOf, 'remaining', ARGV[13], 'remainingUntilMs', ARGV[14])
      if ARGV[8] == '1' or not stored.terms then redis.call('HSET', limiter, 'terms', stored.version) end
      redis.call('HDEL', limiter, 'writer')
      if ARGV[15] ~= '0' then lost = redis.call('HINCRBY', limiter, 'lost', -ARGV[15]) end
      redis.call('PEXPIRE', limiter, ${KEPT_MS})
    else
      result, underWay = 'changed', tonumber(stored['underWay:' .. self] or '0')
      if stored.era and not isReserved then redis.call('HSET', limiter, 'writer', self .. ' ' .. ms(nowMs + 500)) end
    end
  end
  if stored.era and underWay ~= tonumber(stored['underWay:' .. self] or '0') then
    redis.call('HSET', limiter, 'underWay:' .. self, underWay)
  end

  local isKnown = isCurrent and version == tonumber(stored.version or '0')
  local probeOf = stored.probeOf or ''
  if probeOf ~= '' and probeOf ~= self and isDead(probeOf) then probeOf = '' end
  return {result, ms(nowMs), stored.era or '', string.format('%.0f', tonumber(stored.version or '0')),
    isKnown and '' or stored.state or '', ms(fullAtMs), probeOf, ms(untilMs), string.format('%.0f', others), lost}
`;
const [text, number] = [z.string(), z.coerce.number()];
export const LimiterAnswer = z
  .tuple([z.enum(['done', 'changed', 'wait']), number, text, number, text, number, text, number, number, number])
  .transform(([result, nowMs, era, version, state, fullAtMs, probeOf, untilMs, underWayElsewhere, lost]) => {
    return { result, nowMs, era, version, state, fullAtMs, probeOf, untilMs, underWayElsewhere, lost };
  });
