// Decides which request meets which fault. A decision depends only on the seed, the address, the
// range and the number of such requests, and not on the time or on concurrent requests. So a failed
// run can be repeated.

import { between, fraction, mix, mixText, pick } from '../world/hash'
import { type Fault, type FaultKind, type FaultSettings, isLasting, readFault } from './fault'

export const FAULT_HEADER = 'x-feedmill-fault'

export interface PlannedFault {
  readonly fault: Fault
  readonly source: 'header' | 'rule' | 'rate'
  /**
   * The position in the body, in [0, 1), for a fault without a position of its own. Undefined for a
   * fault before any answer.
   */
  readonly place: number | undefined
}

/**
 * The largest number of counted addresses with their ranges. Past it, the one with the oldest
 * request starts from zero.
 */
const COUNTED_REQUESTS = 100_000
/** Kinds that have a position in a body. */
const TAKES_PLACE: ReadonlySet<FaultKind> = new Set(['stall', 'reset', 'short', 'bit-flip'])
/** The least size of a range that meets a fault of `oncePerFile`. */
const LEAST_STRUCK_BYTES = 1024
/** Kinds that a client notices only when it asks for the rest of a file. */
const NEEDS_A_REST: ReadonlySet<FaultKind> = new Set(['range-ignored', 'replaced', 'truncated'])
/** Faults of the rate wait only shortly, to keep tests fast. */
const RATED_MS = { latency: { least: 1, most: 30 }, stall: { least: 40, most: 120 } } as const

export class FaultPlan {
  readonly #settings: FaultSettings
  readonly #counts = new Map<string, number>()

  constructor(settings: FaultSettings) {
    this.#settings = settings
  }

  /**
   * Returns the fault that this request meets.
   * @throws FeedError OPTION_INVALID for a header that cannot be read
   */
  decide(request: Request): PlannedFault | undefined {
    const { pathname, search } = new URL(request.url)
    const address = `${request.method} ${pathname}${search}`
    const header = request.headers.get(FAULT_HEADER)
    if (header !== null)
      return header.startsWith('error;')
        ? undefined
        : this.#named(readFault(header, FAULT_HEADER), 'header', `${header} ${address}`)
    const rule = this.#settings.rules.findIndex(({ matches }) => matches(pathname))
    if (rule >= 0)
      return this.#named(this.#settings.rules[rule]!.fault, 'rule', `${rule} ${address}`)
    return this.#settings.ratedRoute(pathname)
      ? this.#rated(address, request.headers.get('range'))
      : undefined
  }

  /** Forgets all earlier requests. */
  restart(): void {
    this.#counts.clear()
  }

  #named(fault: Fault, source: 'header' | 'rule', key: string): PlannedFault | undefined {
    const { skip = 0, times = isLasting(fault) ? 1 : Number.POSITIVE_INFINITY } = fault
    const before = this.#count(`${source} ${key}`)
    return before >= skip && before < skip + times ? { fault, source, place: undefined } : undefined
  }

  #rated(address: string, range: string | null): PlannedFault | undefined {
    const { rate, seed, oncePerFile } = this.#settings
    if (rate === 0) return undefined
    const kinds = oncePerFile ? this.#dueKinds(address, range) : this.#settings.kinds
    if (kinds.length === 0) return undefined
    const asked = `${address} ${range ?? ''}`
    const draw = mix(mixText(mixText(0, String(seed)), asked), this.#count(asked))
    if (fraction(mix(draw, 1)) >= rate) return undefined
    const kind = pick(kinds, mix(draw, 2))
    const once = oncePerFile ? `${kind} ${address}` : onceFor(kind, address, range)
    if (once !== undefined && this.#count(once) > 0) return undefined
    return { fault: ratedFault(kind, draw), source: 'rate', place: drawnPlace(kind, mix(draw, 3)) }
  }

  /** Returns the kinds that the file has not met and this request can meet. */
  #dueKinds(address: string, range: string | null): readonly FaultKind[] {
    const { start, byteCount } = askedBytes(range)
    if (byteCount < LEAST_STRUCK_BYTES) return []
    return this.#settings.kinds.filter(
      kind =>
        !this.#counts.has(`${kind} ${address}`) &&
        (start > 0 || !NEEDS_A_REST.has(kind)) &&
        (range !== null || !kind.startsWith('range-')),
    )
  }

  /** Returns the earlier count of the key, and counts it once more. */
  #count(key: string): number {
    const before = this.#counts.get(key) ?? 0
    this.#counts.delete(key)
    this.#counts.set(key, before + 1)
    if (this.#counts.size > COUNTED_REQUESTS) this.#counts.delete(this.#counts.keys().next().value!)
    return before
  }
}

/**
 * Returns the key under which some kinds apply only once, whatever the rate is. A file that is
 * replaced repeatedly can never be read, and a client tolerates one refused token and one long body
 * for each part of a file. The end of a part identifies it, because a resumed request keeps the
 * end.
 */
function onceFor(kind: FaultKind, address: string, range: string | null): string | undefined {
  if (isLasting({ kind })) return `${kind} ${address}`
  return kind === '401' || kind === 'extra'
    ? `${kind} ${address} ${range?.split('-').at(-1) ?? ''}`
    : undefined
}

/** A request without a Range, or with one that cannot be read, asks for the whole file. */
function askedBytes(range: string | null): { start: number; byteCount: number } {
  const [, start, end] = /^bytes=(\d+)-(\d*)$/.exec(range ?? '') ?? []
  if (start === undefined) return { start: 0, byteCount: Number.POSITIVE_INFINITY }
  const byteCount = end === '' ? Number.POSITIVE_INFINITY : Number(end) - Number(start) + 1
  return { start: Number(start), byteCount }
}

/** One in five stalls and resets comes before any answer. */
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
