// Random servers and what a download of them may give: exactly one version of the file, or a typed
// error. A case is a seed. In the model a strong validator changes with the content; nothing else
// has to.

import { createHash } from 'node:crypto'
import { gunzipSync, gzipSync } from 'node:zlib'
import { FeedError } from '../../../../src/engine/errors'
import { pipeline } from '../../../../src/engine/pipeline/pipeline'
import { ChunkReassembler } from '../../../../src/engine/stages/chunk-reassembler'
import { Gunzip } from '../../../../src/engine/stages/gunzip'
import { RangeFetcher } from '../../../../src/engine/stages/range/range-fetcher'
import type {
  RangeFetcherOptions,
  RangeInfo,
} from '../../../../src/engine/stages/range/range-settings'
import { randomNumbers } from '../../codec/gzip/deflate-mutants'
import { type Reply, reset, type Script, ScriptedTransport } from '../scripted-transport'

const HOUR = 3_600_000
const BASE = Date.UTC(2024, 0, 1)

class Choices {
  /** A whole number below `limit`. */
  readonly below: (limit: number) => number

  constructor(seed: number) {
    this.below = randomNumbers(seed)
    // The first numbers of neighbouring seeds are alike.
    for (let n = 0; n < 8; n++) this.below(2)
  }

  of<T>(...values: readonly T[]): T {
    return values[this.below(values.length)] as T
  }

  is(share: number): boolean {
    return this.below(1000) < share * 1000
  }
}

/** The rows of a version: of equal length, so that an order is as long as any other. */
function rowsOf(choices: Choices, count: number): string[] {
  return Array.from({ length: count }, (_, n) => `${n % 97}\t${choices.below(1_000_000)}\n`)
}

/** Returns the rows of the next version. */
function changed(choices: Choices, rows: readonly string[]): string[] {
  const at = choices.below(rows.length)
  const kind = choices.of('other', 'reordered', 'shorter', 'longer', 'ends', 'byte', 'prefixed')
  if (kind === 'other') return rowsOf(choices, rows.length)
  if (kind === 'reordered') return [...rows.slice(at), ...rows.slice(0, at)]
  if (kind === 'shorter') return rows.slice(0, Math.max(1, at))
  if (kind === 'longer') return [...rows, ...rowsOf(choices, 1 + choices.below(20))]
  if (kind === 'prefixed') return [...rowsOf(choices, 1 + choices.below(3)), ...rows]
  const other = (row = '') => row.replace(/\d\n/, digit => `${(Number(digit[0]) + 1) % 10}\n`)
  // Members at both ends change, and what lies between them does not.
  if (kind === 'ends') return rows.with(0, other(rows[0])).with(-1, other(rows.at(-1)))
  return rows.with(at, other(rows[at]))
}

function encoded(rows: readonly string[], members: number, level: number): Uint8Array {
  const text = (part: readonly string[]) => Buffer.from(part.join(''))
  if (members === 0) return Uint8Array.from(text(rows))
  const size = Math.ceil(rows.length / members)
  const parts = Array.from({ length: members }, (_, n) => rows.slice(n * size, (n + 1) * size))
  const gzipped = parts.filter(part => part.length > 0).map(part => gzipSync(text(part), { level }))
  return Uint8Array.from(Buffer.concat(gzipped))
}

type Validator = 'none' | 'strong' | 'weak' | 'vanishing' | 'perMachine'

export interface DownloadCase {
  readonly what: object
  readonly versions: readonly Uint8Array[]
  /** The versions as a reader that inflates sees them. */
  readonly contents: readonly Uint8Array[]
  /** True where nothing but cuts stands between the reader and the file. */
  readonly mustSucceed: boolean
  readonly isGzip: boolean
  readonly transport: ScriptedTransport
  readonly options: Partial<RangeFetcherOptions>
  /** The bytes after which a first run stops, whose end a second one resumes; 0 for one run. */
  readonly stopAfter: number
  /** Tells the servers of the second run. It may come to a machine that still has the first version. */
  readonly resumes: () => void
}

export function downloadCase(seed: number): DownloadCase {
  const choices = new Choices(seed)
  const isGzip = choices.is(0.5)
  const members = isGzip ? choices.of(1, 1, 2, 3) : 0
  const level = choices.of(0, 1, 6)
  const changes = choices.of(0, 0, 1, 1, 1, 2)
  const allRows = [rowsOf(choices, 1 + choices.below(20))]
  for (let n = 0; n < changes; n++) allRows.push(changed(choices, allRows.at(-1)!))
  const versions = allRows.map(rows => encoded(rows, members, level))
  const changesAt = allRows.slice(1).map(() => 1 + choices.below(choices.of(3, 12)))
  const isBack = choices.is(0.5)
  let isSecondRun = false
  const machines = choices.of(1, 1, 2, 3)
  const validators: Validator[] = ['none', 'strong', 'weak', 'vanishing', 'perMachine']
  const etag = choices.of<Validator>(...validators, 'none', 'none')
  const date = choices.of<Validator>(...validators)
  const [weakStays, isIdentified] = [choices.is(0.5), choices.is(0.1)]
  const ranges = choices.of('yes', 'yes', 'yes', 'no', 'sometimes')
  const isRangeNeeded = choices.is(0.1)
  const length = choices.of('stated', 'stated', 'chunked', 'none')
  const isTotalKnown = choices.is(0.8)
  const cutShare = choices.of(0, 0, 0.3, 0.7)
  const most = Math.max(...versions.map(({ length: bytes }) => bytes))
  let cutsLeft = choices.of(1, 3, 10)

  const headersOf = (version: number, index: number): Record<string, string> => {
    const machine = choices.below(machines)
    const hash = createHash('sha1').update(versions[version]!).digest('hex').slice(0, 8)
    const isShown = !choices.is(0.4)
    const tag = {
      none: undefined,
      strong: `"${hash}"`,
      weak: `W/"${weakStays ? 1 : hash}"`,
      vanishing: isShown ? `"${hash}"` : undefined,
      perMachine: `"${machine}-${hash}"`,
    }[etag]
    // A version has the date of its number, so that a strong date changes with the content.
    const strong = new Date(BASE + version * HOUR).toUTCString()
    const later = new Date(BASE + 30 * HOUR).toUTCString()
    const headers = {
      none: {},
      strong: { 'last-modified': strong, date: later },
      weak: weakStays
        ? {
            'last-modified': new Date(BASE).toUTCString(),
            date: new Date(BASE + 900).toUTCString(),
          }
        : { 'last-modified': strong },
      vanishing: isShown ? { 'last-modified': strong, date: later } : { date: later },
      perMachine: {
        'last-modified': new Date(BASE + version * HOUR + machine * 60_000).toUTCString(),
        date: later,
      },
    }[date]
    return { ...headers, ...(tag && { etag: tag }), 'x-index': String(index) }
  }

  const script: Script = ({ index, start, end, whole }) => {
    const isFirst = isSecondRun && isBack
    const version = isFirst ? 0 : changesAt.filter(at => index >= at).length
    const bytes = versions[version]!
    transport.file = bytes
    const headers = headersOf(version, index)
    const framed = (count: number) =>
      length === 'stated'
        ? { 'content-length': String(count) }
        : length === 'chunked'
          ? { 'transfer-encoding': 'chunked' }
          : {}
    const isRanged = !whole && (ranges === 'yes' || (ranges === 'sometimes' && choices.is(0.6)))
    if (whole && isRangeNeeded) return { status: 400 }
    if (isRanged && start >= bytes.length)
      return { status: 416, headers: { ...headers, 'content-range': `*/${bytes.length}` } }
    const [from, to] = isRanged ? [start, Math.min(end, bytes.length)] : [0, bytes.length]
    const parts = transport.parts(from, to)
    const reply: Reply = isRanged
      ? {
          status: 206,
          headers: {
            ...headers,
            ...framed(to - from),
            'content-range': `bytes ${from}-${to - 1}/${isTotalKnown ? bytes.length : '*'}`,
          },
          body: parts,
        }
      : { status: 200, headers: { ...headers, ...framed(to - from) }, body: parts }
    if (cutsLeft === 0 || !choices.is(cutShare)) return reply
    cutsLeft--
    const cut = transport.parts(from, from + choices.below(to - from + 1))
    // Nothing but the connection tells the end of a body without a length: a cut looks like an end.
    const isClean = length === 'none' || (length === 'stated' && choices.is(0.5))
    return { ...reply, body: isClean ? cut : [...cut, reset()] }
  }
  const transport = new ScriptedTransport(versions[0]!, script, choices.of(7, 31, 200))
  const chunkBytes = choices.of(Math.ceil(most / (1 + choices.below(8))), 40, 5000)
  const sha256 = createHash('sha256').update(versions[0]!).digest('hex')
  const isConstant = [etag, date].every(each => each !== 'vanishing' && each !== 'perMachine')
  const isProven = isConstant && (etag === 'strong' || date === 'strong')
  // An older date is refused, because the reader may have been told of the newer one.
  const isServed = isProven || (!isRangeNeeded && (date !== 'perMachine' || etag === 'strong'))
  const isEndStated = length !== 'none' || (ranges === 'yes' && isTotalKnown && isProven)
  // With `expected`, the caller of a second run has to check the hash.
  const stopAfter = choices.is(0.2) && !isIdentified ? 1 + choices.below(most) : 0
  return {
    what: {
      isGzip,
      members,
      changesAt,
      isBack,
      machines,
      etag,
      date,
      weakStays,
      ranges,
      isRangeNeeded,
    },
    versions,
    contents: isGzip ? versions.map(each => Uint8Array.from(gunzipSync(each))) : versions,
    mustSucceed: changes === 0 && isServed && isEndStated && stopAfter === 0,
    isGzip,
    transport,
    options: {
      chunkBytes,
      windowBytes: chunkBytes * choices.of(1, 2, 5),
      concurrency: choices.of(1, 2, 4),
      // An overlap has at most half of a range, so that it does not cover the file.
      ...(choices.is(0.5) && { maxRangeBytes: 12 + choices.below(50) }),
      ...(isIdentified && { expected: { totalBytes: versions[0]!.length, sha256 } }),
    },
    stopAfter,
    resumes: () => void (isSecondRun = true),
  }
}

function fetcherOf(
  { transport, options }: DownloadCase,
  more: Pick<RangeFetcherOptions, 'resume' | 'onInfo'> = {},
) {
  const { windowBytes = 1 } = options
  const retry = { patienceMs: 100, backoffBaseMs: 0, backoffCapMs: 0, retryAfterCapMs: 0 }
  const url = 'http://feed.test/file'
  const fetcher = new RangeFetcher({ url, transport, ...options, retry, ...more })
  const start = more.resume && { startOffset: more.resume.offset }
  return { fetcher, ordered: new ChunkReassembler({ windowBytes, ...start }) }
}

/** Reads as a caller does: in one run, or in a second one that goes on where the first was stopped. */
async function read(one: DownloadCase): Promise<Uint8Array> {
  const { isGzip, stopAfter } = one
  const parts: Uint8Array[] = []
  let first: RangeInfo | undefined
  /** What can be resumed, where the download went on under other validators. */
  let resumable: readonly Uint8Array[] | undefined
  const onInfo = (info: RangeInfo) => {
    if (first) resumable = [...parts]
    first ??= info
  }
  const { fetcher, ordered } = fetcherOf(one, { onInfo })
  if (stopAfter === 0) {
    const chain = pipeline(fetcher).to(ordered)
    return Buffer.concat(await (isGzip ? chain.to(new Gunzip()) : chain).toArray())
  }
  let length = 0
  for await (const bytes of pipeline(fetcher).to(ordered)) {
    parts.push(Uint8Array.from(bytes))
    length += bytes.length
    if (length >= stopAfter) break
  }
  const { empty: _, ...identity }: RangeInfo = await fetcher.info
  if (length < stopAfter || length === identity.totalBytes) return plain(one, parts)
  one.resumes()
  const kept = [...(resumable ?? parts)]
  const offset = Buffer.concat(kept).length
  const later = fetcherOf(one, { resume: { offset, identity } })
  for await (const bytes of pipeline(later.fetcher).to(later.ordered)) kept.push(bytes)
  return plain(one, kept)
}

function plain({ isGzip }: DownloadCase, parts: readonly Uint8Array[]): Uint8Array {
  const bytes = Buffer.concat(parts)
  return isGzip ? gunzipSync(bytes) : bytes
}

/** Returns what is wrong with a case; undefined where the download gave one version or an error. */
export async function verdictOf(seed: number): Promise<string | undefined> {
  const one = downloadCase(seed)
  const outcome = await read(one).catch((error: unknown) => error)
  const show = JSON.stringify({
    seed,
    ...one.what,
    ...one.options,
    requests: one.transport.requests.length,
  })
  if (outcome instanceof Uint8Array) {
    const isOne = one.contents.some(content => Buffer.compare(content, outcome) === 0)
    return isOne ? undefined : `${outcome.length} bytes of no version: ${show}`
  }
  // The resumed bytes of a gzip file are inflated here, by zlib.
  const isTyped = FeedError.is(outcome) || (one.stopAfter > 0 && one.isGzip)
  if (!isTyped) return `an error without a type, ${String(outcome)}: ${show}`
  return one.mustSucceed ? `refused without need, ${String(outcome)}: ${show}` : undefined
}
