// What can go wrong on demand, and the one line of text that says it: in the request header
// `x-feedmill-fault`, in a rule, in the log. Which request meets a fault is fault-plan.ts, what
// happens then fault-injector.ts; the options that decide are here. `error;code=N` is not one of
// these faults: it asks an operation for one of its documented errors.

import { is, type OptionTable, optionInvalid, readOptions } from '../../engine/index'

/** The kinds of faults, each with the parameters that it takes besides `skip` and `times`. */
const FAULTS = [
  ['latency', 'ms'],
  ['stall', 'ms', 'after'],
  ['reset', 'after'],
  ['short', 'after'],
  ['extra', 'bytes'],
  ['range-wrong', 'bytes'],
  ['range-missing'],
  ['range-repeated'],
  ['range-ignored'],
  ['html'],
  ['bit-flip', 'after', 'bit'],
  ['401'],
  ['404'],
  ['409'],
  ['416'],
  ['429', 'retry-after'],
  ['500'],
  ['503', 'retry-after'],
  ['replaced'],
  ['truncated', 'bytes'],
] as const

export const FAULT_KINDS = FAULTS.map(([kind]) => kind)

/**
 * What can go wrong. In words: `kind;name=value;…`, for example `reset;after=1000` or
 * `503;retry-after=2;times=3`. Any kind takes `skip=N`, the first N requests for an address go by
 * (0), and `times=N`, then N requests meet the fault (all; 1 for the last two kinds).
 *
 * | kind | parameters (default) | what the client meets |
 * |---|---|---|
 * | `latency` | `ms` (200) | the answer comes that much later |
 * | `stall` | `ms` (600000), `after` (none) | nothing for so long, in place of the answer, or after so many bytes of its body |
 * | `reset` | `after` (none) | the connection is reset, in place of the answer, or after so many bytes of its body |
 * | `short` | `after` (0) | the body ends cleanly after so many bytes |
 * | `extra` | `bytes` (1) | so many bytes follow the body |
 * | `range-wrong` | `bytes` (1) | Content-range and body begin so many bytes later than asked |
 * | `range-missing` | | no Content-range |
 * | `range-repeated` | | two Content-range headers |
 * | `range-ignored` | | the whole file with status 200, without Content-range, whatever was asked |
 * | `html` | | an HTML page with status 200 |
 * | `bit-flip` | `after` (0), `bit` (0) | in the byte after so many of the body, bit 0 to 7 is turned |
 * | `401`, `500` | | no valid token; the operation's own internal problem |
 * | `404`, `409`, `416` | | statuses without a code (item-feeds.md, section 5) |
 * | `429`, `503` | `retry-after` (none) | sent as it is, whatever text |
 * | `replaced` | | from now on another file stands there: the same rows, other bytes, total and Last-Modified |
 * | `truncated` | `bytes` (8) | from now on the file there lacks so many bytes at its end |
 */
export type FaultKind = (typeof FAULTS)[number][0]

type NumberName = 'ms' | 'after' | 'bytes' | 'bit' | 'skip' | 'times'

export type Fault = { readonly kind: FaultKind; readonly 'retry-after'?: string } & {
  readonly [name in NumberName]?: number
}

const SPOILERS: ReadonlySet<FaultKind> = new Set([
  'short',
  'extra',
  'range-wrong',
  'range-missing',
  'range-repeated',
  'bit-flip',
])

/** The longest wait of a fault. A test should not wait longer. */
export const FAULT_MAX_MS = 600_000

/** Faults that replace a file. */
export function isLasting({ kind }: Fault): boolean {
  return kind === 'replaced' || kind === 'truncated'
}

/**
 * Returns whether the fault changes the answer of the service. `place` says whether a position in
 * the body was drawn.
 */
export function strikesInBody({ kind, after }: Fault, place: number | undefined): boolean {
  if (kind === 'stall' || kind === 'reset') return after !== undefined || place !== undefined
  return SPOILERS.has(kind)
}

/** @throws FeedError OPTION_INVALID with the name `option` */
export function readFault(text: string, option: string): Fault {
  const [kind = '', ...parts] = text.split(';').map(part => part.trim())
  if (!isFaultKind(kind)) throw optionInvalid(option, `one of ${FAULT_KINDS.join(', ')}`, text)
  const fault: Record<string, string | number> = { kind }
  for (const part of parts) {
    const [, name = '', value = ''] = /^([a-z-]+)=(.*)$/.exec(part) ?? []
    const read = readValue(kind, name, value)
    if (read === undefined || name in fault)
      throw optionInvalid(option, `${kind} with ${parameterNames(kind).join(', ')}`, text)
    fault[name] = read
  }
  return fault as Fault
}

/** Returns the text that {@link readFault} reads. */
export function faultText({ kind, ...parameters }: Fault): string {
  return [kind, ...Object.entries(parameters).map(([name, value]) => `${name}=${value}`)].join(';')
}

export function isFaultKind(text: string): text is FaultKind {
  return (FAULT_KINDS as readonly string[]).includes(text)
}

function parameterNames(kind: FaultKind): readonly string[] {
  const [, ...own] = FAULTS.find(([known]) => known === kind)!
  return [...own, 'skip', 'times']
}

function readValue(kind: FaultKind, name: string, value: string): string | number | undefined {
  if (!parameterNames(kind).includes(name)) return undefined
  if (name === 'retry-after') return value
  const number = /^\d{1,15}$/.test(value) ? Number(value) : Number.NaN
  const limit = name === 'bit' ? 7 : name === 'ms' ? FAULT_MAX_MS : Number.MAX_SAFE_INTEGER
  return number <= limit ? number : undefined
}

/** A fault for single routes. */
export interface FaultRule {
  /** A path; `*` stands for any text: `/buy/feed/v1_beta/item*`. */
  readonly route: string
  /** The fault in the words of the request header: `reset;after=1000;times=2`. */
  readonly fault: string
}

export interface FaultOptions {
  /**
   * The first rule that matches a request decides. The header of the request takes precedence over
   * it, and it takes precedence over the rate. Default none.
   */
  readonly rules?: readonly FaultRule[]
  /** The share of requests that meet a fault, from 0 to 1. Default 0. */
  readonly rate?: number
  /** Any whole number. It alone decides which requests meet a fault. Default 0. */
  readonly seed?: number
  /** The faults from which the rate draws. Default {@link PASSING_FAULTS}. */
  readonly kinds?: readonly FaultKind[]
  /**
   * Lets each file meet each kind of the rate at most once, so that a rate of 1 shows every kind to
   * every file and a client that tries again still comes to the end. A request for fewer than 1,024
   * bytes, with which some clients ask for the size, then meets none; `range-ignored`, `replaced`
   * and `truncated` wait for a request that does not begin at byte 0, and the other kinds of ranges
   * for one with a Range. Default false.
   */
  readonly oncePerFile?: boolean
  /**
   * The routes to which the rate applies, as in a rule. Default: the five operations that download
   * files.
   */
  readonly route?: string
}

const RULE = { route: is.filledText, fault: is.filledText } satisfies OptionTable<FaultRule>

/**
 * Faults that a client can survive: after each of them, the same request or a request for the rest
 * continues the same file.
 */
export const PASSING_FAULTS: readonly FaultKind[] = [
  'latency',
  'stall',
  'reset',
  'short',
  'extra',
  '401',
  '429',
  '500',
  '503',
]

const OPTIONS = {
  rules: [(option, rules) => is.arrayOf(option, rules).map(readRule), []],
  rate: [is.finiteNumber(0, 1), 0],
  seed: [is.wholeNumber(Number.MIN_SAFE_INTEGER), 0],
  kinds: [someKinds, PASSING_FAULTS],
  oncePerFile: [is.flag, false],
  route: [is.filledText],
} satisfies OptionTable<FaultOptions>

export type FaultSettings = ReturnType<typeof faultSettings>

/**
 * `downloads` are the routes of the operations that download files.
 * @throws FeedError OPTION_INVALID
 */
export function faultSettings(downloads: readonly string[], options: FaultOptions = {}) {
  const { route, ...settings } = readOptions(options, OPTIONS, 'faults')
  const routes = route === undefined ? downloads : [route]
  const rated = routes.map(routePattern)
  return {
    ...settings,
    ratedRoute: (path: string) => rated.some(matches => matches(path)),
  }
}

function readRule(rule: FaultRule) {
  const { route, fault } = readOptions(rule, RULE, 'faults.rules[]', '')
  return { matches: routePattern(route), fault: readFault(fault, 'faults.rules') }
}

function someKinds(option: string, kinds: readonly FaultKind[]): readonly FaultKind[] {
  if (is.arrayOf(option, kinds).length > 0 && kinds.every(isFaultKind)) return kinds
  throw optionInvalid(option, `an array of some of ${FAULT_KINDS.join(', ')}`, kinds)
}

function routePattern(route: string): (path: string) => boolean {
  const parts = route.split('*').map(part => part.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&'))
  const pattern = new RegExp(`^${parts.join('.*')}$`)
  return path => pattern.test(path)
}
