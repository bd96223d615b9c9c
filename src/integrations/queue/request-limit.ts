// A limit of HTTP requests that all workers of a queue share. The limiter of BullMQ counts jobs,
// and a job sends any number of requests, so this one counts requests: one script in Redis gives
// each request its start at even distances, and counts the requests of the day (UTC).

import {
  FeedError,
  is,
  type OptionTable,
  optionInvalid,
  pause,
  readOptions,
} from '../../engine/index'
import type { SharedTurn } from '../../service/index'
import { connectQueue, KEY_PREFIX, type QueueOptions, queueSettings } from './redis-connection'

export interface RequestLimitOptions {
  /** The queue whose workers share the limit. */
  readonly queue: QueueOptions
  /** Requests a second, at even distances. Default no limit. */
  readonly perSecond?: number
  /** Requests from one midnight (UTC) to the next. Default no limit. */
  readonly perDay?: number
}

/** A limit of requests, as the option `sharedTurn` of a service. Also for `await using`. */
export interface RequestLimit extends AsyncDisposable {
  readonly sharedTurn: SharedTurn
  close(): Promise<void>
}

const OPTIONS = {
  queue: (_option, queue) => queueSettings(queue),
  perSecond: [is.finiteNumber(0.001, 1_000_000)],
  perDay: [is.wholeNumber()],
} satisfies OptionTable<RequestLimitOptions>

const DAY_MS = 86_400_000

/**
 * KEYS: the next start with the longest wait that its booking allowed, the count of the day. ARGV:
 * the distance of two starts and the longest wait in microseconds, the requests a day (both limits
 * 0 for none). Returns the wait in microseconds; -1 for a wait that is too long, -2 for a day that
 * is used up. A refused request counts nothing. A start that no booking can have made counts as
 * none: the clock of the server was set back, or somebody else has written it.
 */
const TAKE_TURN = `
local time = redis.call('TIME')
local now = time[1] * 1000000 + time[2]
local distance, longest, perDay = tonumber(ARGV[1]), tonumber(ARGV[2]), tonumber(ARGV[3])
local day = KEYS[2] .. ':' .. math.floor(time[1] / 86400)
if perDay > 0 and tonumber(redis.call('GET', day) or '0') >= perDay then return -2 end
local wait = 0
if distance > 0 then
  local next, allowed = string.match(redis.call('GET', KEYS[1]) or '', '^(%d+) ?(%d*)$')
  local start = math.max(now, tonumber(next) or 0)
  if start - now > (tonumber(allowed) or longest) + distance then start = now end
  wait = start - now
  if wait > longest then return -1 end
  redis.call('SET', KEYS[1], string.format('%.0f %.0f', start + distance, longest), 'PX', math.ceil((wait + distance) / 1000) + 1000)
end
if perDay > 0 then
  redis.call('INCR', day)
  redis.call('EXPIRE', day, 172800)
end
return math.floor(wait)
`

/**
 * Connects to the limit of requests that all workers of a queue share, which must give the same
 * numbers. The wait for a turn counts against the option `queueTimeoutMs` of the service. A request
 * past the limit of the day fails with QUEUE_DAILY_LIMIT, and the worker delays its job to the next
 * day.
 * @throws FeedError OPTION_INVALID, QUEUE_FAILED, DEPENDENCY_MISSING
 */
export async function requestLimit(options: RequestLimitOptions): Promise<RequestLimit> {
  const { queue: settings, perSecond, perDay: daily = 0 } = readOptions(options, OPTIONS)
  if (perSecond === undefined && options.perDay === undefined)
    throw optionInvalid('perSecond', 'given, or perDay', undefined)
  const distanceUs = perSecond === undefined ? 0 : Math.ceil(1_000_000 / perSecond)
  const connection = await connectQueue(settings)
  const key = `${KEY_PREFIX}:${settings.name}:requests`
  const close = () => connection.close()
  const sharedTurn: SharedTurn = async ({ signal, limitMs }) => {
    const args = [`${key}:next`, `${key}:day`, distanceUs, Math.floor(limitMs * 1000), daily]
    const taking = connection.redis.eval(TAKE_TURN, 2, ...args)
    const waitUs = Number(await connection.within('take a turn', taking))
    if (waitUs === -2) throw dailyLimit(settings.shown, daily)
    if (waitUs === -1) return false
    if (waitUs > 0) await pause(Math.ceil(waitUs / 1000), signal)
    return true
  }
  return { sharedTurn, close, [Symbol.asyncDispose]: close }
}

function dailyLimit(queue: string, perDay: number): FeedError<'QUEUE_DAILY_LIMIT'> {
  const until = new Date((Math.floor(Date.now() / DAY_MS) + 1) * DAY_MS).toISOString()
  const message = `the ${perDay} requests of the day are used up; the next day begins at ${until}`
  return new FeedError('QUEUE_DAILY_LIMIT', message, { queue, perDay, until })
}
