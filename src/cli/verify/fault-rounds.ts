// The rounds of `feedmill verify`: what the emulated service does in each of them, what a program
// must do about it, and where the documents say so.

import type { EmulatorOptions, FaultKind, WorldOptions } from '../../emulator'

/** One thing that the service does in a round. */
export interface VerifyFault {
  /** Names the fault and its round. */
  readonly name: string
  /** What the service does. */
  readonly does: string
  /** What a program must do. */
  readonly must: string
  readonly source: string
  /** Faults of single requests. Each file meets each of them once. */
  readonly requests?: readonly FaultKind[]
  readonly world?: Partial<WorldOptions>
  readonly service?: Partial<EmulatorOptions>
}

const RANGES = 'service-notes.md, section 5'

/** A repeated request succeeds after any of these answers. */
const refused = (status: '429' | '500' | '503', source: string): VerifyFault => ({
  name: status,
  does: `answers the first request for each file with status ${status}`,
  must: 'repeat the request',
  source,
  requests: [status],
})

/** The faults in the order of their rounds. */
export const VERIFY_FAULTS: readonly VerifyFault[] = [
  {
    name: 'removals',
    does: 'ends items: their snapshot rows have nothing but itemId and availability, UNAVAILABLE',
    must: 'remove an item whose row says UNAVAILABLE',
    source: 'item-feeds.md, section 2.7',
    world: { endings: 1 },
  },
  {
    name: 'quotes',
    does: 'sends titles with quotes, backslashes and tabs: quotes enclose such a title, and a backslash precedes a quote or backslash inside',
    must: 'read a quoted cell by these rules; a doubled quote has no meaning, and an escaped one does not end the cell',
    source: 'item-feeds.md, section 2.1',
    world: { quotedTitles: 0.1 },
  },
  {
    name: 'headings',
    does: 'spells the headings differently from file to file, and adds a column that no document names',
    must: 'find columns by their heading in any case, never by their position',
    source: 'service-notes.md, section 6.1',
    service: { format: { headerSpelling: 'varied', unknownColumns: 'varied' } },
  },
  {
    name: 'catalog-size',
    does: 'states a size in the catalog that is smaller than the file',
    must: 'take the total of Content-range for the size of a file, and fail where a gzip file ends early',
    source: RANGES,
    service: { catalog: { toldSize: bytes => Math.floor(bytes * 0.8) } },
  },
  {
    name: 'token-expiry',
    does: 'lets each token expire after four requests, and then answers 401',
    must: 'get a new token after a 401, and repeat the request with it',
    source: RANGES,
    service: { tokenRequests: 4 },
  },
  {
    name: '401',
    does: 'refuses the token of the first request for each file',
    must: 'get a new token after a 401, and repeat the request with it',
    source: RANGES,
    requests: ['401'],
  },
  refused('429', 'item-feeds.md, section 6'),
  refused('500', 'item-feeds.md, section 5'),
  refused('503', 'item-feeds.md, section 5'),
  {
    name: 'reset',
    does: 'resets the connection in the middle of each file',
    must: 'ask for the rest, or for the file again',
    source: RANGES,
    requests: ['reset'],
  },
  {
    name: 'short',
    does: 'ends the body of each file early, as if it were complete',
    must: 'compare the bytes of the body with Content-range, and ask for the rest',
    source: RANGES,
    requests: ['short'],
  },
  {
    name: 'extra',
    does: 'sends some bytes more than Content-range says',
    must: 'count the bytes of the body, and use none behind the end of the range',
    source: RANGES,
    requests: ['extra'],
  },
  {
    name: 'range-wrong',
    does: 'resets the connection in the middle of a file, and sends a range that begins some bytes later than asked, and says so in Content-range',
    must: 'compare the start in Content-range with the asked one',
    source: RANGES,
    requests: ['reset', 'range-wrong'],
  },
  {
    name: 'range-ignored',
    does: 'resets the connection in the middle of a file, and answers the request for the rest with the whole file and status 200',
    must: 'start the file again where a 200 without Content-range answers a request for the rest, instead of appending it to the partial file',
    source: RANGES,
    requests: ['reset', 'range-ignored'],
  },
  {
    name: 'range-echo',
    does: 'answers every range with status 200 and repeats the asked end, though the file ends earlier',
    must: 'read the start and the total of Content-range, and count the bytes of the body',
    source: RANGES,
    service: { headerForm: 'echo' },
  },
  {
    name: 'replaced',
    does: 'resets the connection in the middle of a file, and has another file there when the rest is asked for',
    must: 'start the file again where the total or Last-Modified has changed',
    source: RANGES,
    requests: ['reset', 'replaced'],
  },
  {
    name: 'html',
    does: 'answers the first request for each file with an HTML page and status 200',
    must: 'check the media type or the gzip signature, and repeat the request',
    source: 'item-feeds.md, section 3.7',
    requests: ['html'],
  },
  {
    name: 'bit-flip',
    does: 'flips one bit of each file on its way',
    must: 'check CRC32 and length in the gzip trailer before rows are used, and fetch the file again',
    source: RANGES,
    requests: ['bit-flip'],
  },
]

export interface Round {
  /** `baseline`, the name of a fault, or `together`. */
  readonly name: string
  readonly faults: readonly VerifyFault[]
  /** The share of requests that meet a fault of `requests`. */
  readonly rate: number
}

/** In `together`, half of the requests meet one of the faults that their file has not met yet. */
const TOGETHER_RATE = 0.5

/**
 * Returns the baseline, one round for each fault, and all of them together.
 * @param names the faults; all of them if absent
 */
export function roundsOf(names?: readonly string[]): Round[] {
  const faults = VERIFY_FAULTS.filter(({ name }) => names?.includes(name) ?? true)
  return [
    { name: 'baseline', faults: [], rate: 0 },
    ...faults.map(fault => ({ name: fault.name, faults: [fault], rate: 1 })),
    ...(faults.length > 1 ? [{ name: 'together', faults, rate: TOGETHER_RATE }] : []),
  ]
}
