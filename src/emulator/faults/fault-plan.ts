// Decides which request meets which fault. A decision hangs on the seed, the address, the range and
// how often that has been asked, and on nothing else: not on time, nor on what other requests do at
// the same moment. So a run that failed can be run again.

import { between, fraction, mix, mixText, pick } from '../world/hash'
import { type Fault, type FaultKind, isLasting, readFault } from './fault'
import type { FaultSettings } from './fault-options'

export const FAULT_HEADER = 'x-feedmill-fault'

export interface PlannedFault {
  readonly fault: Fault
  readonly source: 'header' | 'rule' | 'rate'
  /**
   * In [0, 1): where in a body the fault strikes, when it does not say so itself; undefined: before
   * any answer.
   */
  readonly place: number | undefined
}

/**
 * Addresses, with their ranges, that are counted; past that the one asked longest ago counts from
 * the start.
 */
const COUNTED_REQUESTS = 100_000
/** Kinds with a place in a body. */
const TAKES_PLACE: ReadonlySet<FaultKind> = new Set(['stall', 'reset', 'short', 'bit-flip'])
/** Faults of the rate are short: they shall trouble a client, not its tester. */
const RATED_MS = { latency: { least: 1, most: 30 }, stall: { least: 40, most: 120 } } as const

export class FaultPlan {
  readonly #settings: FaultSettings
  readonly #counts = new Map<string, number>()

  constructor(settings: FaultSettings) {
    this.#settings = settings
  }

  /**
   * The fault that this request meets.
   * @throws FeedError OPTION_INVALID for a header that cannot be read
   */
  decide(request: Request): PlannedFault | undefined {
    const { pathname, search } = new URL(request.url)
    const address = `${request.method} ${pathname}${search}`
    const header = request.headers.get(FAULT_HEADER)
    if (header !== null)
      return header.startsWith('error;')
        ? undefined
        : this.#named(readFault(header, FAULT_HEADER), 'header', header, address)
    const rule = this.#settings.rules.findIndex(({ matches }) => matches(pathname))
    if (rule >= 0)
      return this.#named(this.#settings.rules[rule]!.fault, 'rule', String(rule), address)
    return this.#settings.ratedRoute(pathname)
      ? this.#rated(address, request.headers.get('range'))
      : undefined
  }

  /** Forgets what was asked before. */
  restart(): void {
    this.#counts.clear()
  }

  #named(
    fault: Fault,
    source: 'header' | 'rule',
    name: string,
    address: string,
  ): PlannedFault | undefined {
    const { skip = 0, times = isLasting(fault) ? 1 : Number.POSITIVE_INFINITY } = fault
    const before = this.#count(`${source} ${name} ${address}`)
    return before >= skip && before < skip + times ? { fault, source, place: undefined } : undefined
  }

  #rated(address: string, range: string | null): PlannedFault | undefined {
    const { rate, seed, kinds } = this.#settings
    if (rate === 0) return undefined
    const asked = `${address} ${range ?? ''}`
    const draw = mix(mixText(mixText(0, String(seed)), asked), this.#count(asked))
    if (fraction(mix(draw, 1)) >= rate) return undefined
    const kind = pick(kinds, mix(draw, 2))
    const once = onceFor(kind, address, range)
    if (once !== undefined && this.#count(once) > 0) return undefined
    return { fault: ratedFault(kind, draw), source: 'rate', place: drawnPlace(kind, mix(draw, 3)) }
  }

  /** How often the key was counted before. */
  #count(key: string): number {
    const before = this.#counts.get(key) ?? 0
    this.#counts.delete(key)
    this.#counts.set(key, before + 1)
    if (this.#counts.size > COUNTED_REQUESTS) this.#counts.delete(this.#counts.keys().next().value!)
    return before
  }
}

/**
 * What some kinds strike once and not again, whatever the rate: a file that is replaced again and
 * again can never be read, and a client forgives a part of a file one refused token and one body
 * that is too long. A part is known by its end, which a resumed request keeps.
 */
function onceFor(kind: FaultKind, address: string, range: string | null): string | undefined {
  if (isLasting({ kind })) return `${kind} ${address}`
  return kind === '401' || kind === 'extra'
    ? `${kind} ${address} ${range?.split('-').at(-1) ?? ''}`
    : undefined
}

/** One stall or reset in five comes before any answer. */
function drawnPlace(kind: FaultKind, draw: number): number | undefined {
  const isEarly = (kind === 'stall' || kind === 'reset') && draw % 5 === 0
  return TAKES_PLACE.has(kind) && !isEarly ? fraction(draw) : undefined
}

function ratedFault(kind: FaultKind, draw: number): Fault {
  const [number, small] = [mix(draw, 4), between(mix(draw, 5), 1, 20)]
  switch (kind) {
    case 'latency':
    case 'stall':
      return { kind, ms: between(number, RATED_MS[kind].least, RATED_MS[kind].most) }
    case 'extra':
    case 'range-wrong':
    case 'truncated':
      return { kind, bytes: small }
    case 'bit-flip':
      return { kind, bit: number % 8 }
    case '429':
    case '503':
      return { kind, 'retry-after': '0' }
    default:
      return { kind }
  }
}
