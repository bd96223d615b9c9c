// What a response says about the file it has a part of: its identity, its size, and whether it is a
// feed file at all. A download is one version of one file, or an error. This is the one place that
// says what proves that two answers are of one file; the rules are applied in stages/range.
//
//   what the caller or the server states      what is done
//   the size and the SHA-256 (`expected`)     ranges, several at a time; the hash decides at the end
//   a strong ETag, or a Last-Modified at      ranges, several at a time; every answer must state the
//   least 60 s before the Date of the same    same, weak entity tags too
//   answer (RFC 9110, 8.8.2.2)
//   neither, the signature of gzip, a total   one range at a time. Each begins before what is there,
//                                             and the overlap is compared. What was received is
//                                             inflated, because the trailer of the member decides:
//                                             behind the end of a member nothing is joined
//   neither, any other file                   one request without Range; where its body ends early,
//                                             once more from byte 0, compared with what was handed
//                                             out by a checksum
//   a validator that changes, appears or      from byte 0, without ranges, compared in the same way;
//   disappears                                where the bytes differ, RANGE_FILE_REPLACED. What comes
//                                             then cannot be resumed
//   no Content-Length and no chunks           the body may have been cut, between two members of
//                                             gzip too: HTTP_CONTENT_LENGTH, unless the caller
//                                             states the size or accepts it (`acceptUnknownEnd`)
//   a file of a disk                          size, inode, and the times of its last changes

import { readInstant } from '../instant'

/** The values that the responses so far have stated. */
export interface FileIdentity {
  /** The size of the file, where a response stated it. */
  readonly totalBytes?: number
  /** The header as it was sent. It is compared as text, not as a date. */
  readonly lastModified?: string
  /** The header Date of the same answer, by which Last-Modified is judged. */
  readonly date?: string
  /** True where the date is a strong validator: the same answer had a Date at least 60 s later. */
  readonly isDateStrong?: boolean
  /** A strong entity tag with its quotes. */
  readonly etag?: string
  /** An entity tag that is weak or malformed. It proves nothing, but its change says something. */
  readonly weakEtag?: string
}

/** The size and the hash of a file, as its publisher states them. */
export interface ExpectedFile {
  /** The number of bytes of the file as it is sent, that is compressed where it is. */
  readonly totalBytes: number
  /** The SHA-256 of these bytes, as 64 hexadecimal digits. */
  readonly sha256: string
}

export interface IdentityChange {
  readonly what: 'total' | 'last-modified' | 'etag'
  readonly before: string
  readonly after: string
}

/**
 * RFC 9110 asks for one second where both times are of one clock. Its predecessor asked for 60, which
 * also covers clocks that differ a little.
 */
const STRONG_AFTER_MS = 60_000

/** Returns the identity that the headers of a response state. */
export function identityOf(
  totalBytes: number | undefined,
  lastModified: string | undefined,
  etag: string | undefined,
  date?: string,
): FileIdentity {
  const isDateStrong = timeMs(date) - timeMs(lastModified) >= STRONG_AFTER_MS
  return {
    ...(totalBytes === undefined ? {} : { totalBytes }),
    ...(lastModified ? { lastModified } : {}),
    ...(date ? { date } : {}),
    ...(isDateStrong && { isDateStrong }),
    ...(etag && { [/^"[^"]*"$/.test(etag) ? 'etag' : 'weakEtag']: etag }),
  }
}

/** Returns NaN without a time. */
function timeMs(header: string | undefined): number {
  return readInstant(header ?? '')?.getTime() ?? Number.NaN
}

/** How far clocks may differ. */
const CLOCKS_DIFFER_MS = 5 * 60_000

/**
 * Returns the Last-Modified as the time of a file. A file is older than the answer that has it
 * (RFC 9110, 8.8.2.1). So a time that is later than the Date of the answer or than this clock is
 * that of a clock that is ahead. By at most 5 minutes, it is taken for as much earlier: the rows of
 * the file are then replaced by those of the time since, and never the other way round. A time that
 * is still later is none, because nothing says how wrong the clock is.
 */
export function possibleDate(
  { lastModified, date }: FileIdentity,
  nowMs: number,
): string | undefined {
  const madeMs = timeMs(lastModified)
  const latestMs = Math.min(nowMs, timeMs(date) || nowMs)
  if (!(madeMs > latestMs)) return lastModified
  const isPossible = madeMs <= latestMs + CLOCKS_DIFFER_MS
  return isPossible ? new Date(madeMs - CLOCKS_DIFFER_MS).toUTCString() : undefined
}

/** Tells whether two answers prove that they are of the same file. */
export function provesSame(one: FileIdentity, other: FileIdentity): boolean {
  if (one.etag !== undefined) return one.etag === other.etag
  const areStrong = one.isDateStrong === true && other.isDateStrong === true
  return areStrong && one.lastModified === other.lastModified
}

/**
 * Which values are compared: all that answers state, with those that appear and disappear; those
 * that both sides have, where the earlier ones are the caller's; or only those that the bytes do not
 * prove. An earlier date would give an older file the date of a newer one.
 */
export type Compared = 'all' | 'given' | 'unproven'

/** Returns the first value in which `seen` contradicts `pinned`. */
export function identityChange(
  pinned: FileIdentity,
  seen: FileIdentity,
  compared: Compared = 'all',
): IdentityChange | undefined {
  const { lastModified } = pinned
  const total = contradiction('total', pinned.totalBytes, seen.totalBytes)
  if (compared === 'unproven') {
    const isOlder = timeMs(seen.lastModified) < timeMs(lastModified) && !provesSame(pinned, seen)
    return total ?? (isOlder ? change('last-modified', lastModified, seen.lastModified) : undefined)
  }
  const differ = compared === 'all' ? change : contradiction
  const changed =
    total ??
    differ('last-modified', lastModified, seen.lastModified) ??
    differ('etag', pinned.etag, seen.etag) ??
    differ('etag', pinned.weakEtag, seen.weakEtag)
  if (changed || compared === 'given' || !provesSame(pinned, pinned)) return changed
  return provesSame(pinned, seen)
    ? undefined
    : { what: 'last-modified', before: lastModified ?? '', after: 'the same without a later Date' }
}

/** Returns `known` with the size that only `other` may have. Validators are never put together. */
export function mergeIdentity(known: FileIdentity, other: FileIdentity): FileIdentity {
  const { totalBytes } = other
  return totalBytes === undefined ? known : { totalBytes, ...known }
}

function contradiction(
  what: IdentityChange['what'],
  before?: string | number,
  after?: string | number,
): IdentityChange | undefined {
  return before === undefined || after === undefined ? undefined : change(what, before, after)
}

function change(
  what: IdentityChange['what'],
  before: string | number = 'none',
  after: string | number = 'none',
): IdentityChange | undefined {
  return before === after ? undefined : { what, before: String(before), after: String(after) }
}

/** The facts of a file of a disk that change with its content. */
export interface FileStats {
  readonly size: bigint
  readonly ino: bigint
  readonly mtimeNs: bigint
  readonly ctimeNs: bigint
}

/**
 * Returns the identity of a file of a disk. No program can set the time of the last change of an
 * inode, so a file that was replaced by one of the same size and time has another tag.
 */
export function identityOfStats({ size, ino, mtimeNs, ctimeNs }: FileStats) {
  const lastModified = new Date(Number(mtimeNs / 1_000_000n)).toISOString()
  return { totalBytes: Number(size), lastModified, etag: `"${ino}-${mtimeNs}-${ctimeNs}"` }
}

// Reads a `Content-range` header: its syntax only. Whether the range answers the request is decided
// in response-verdict.ts.
//
// Two forms are in use: `0-9/100` (item-feeds.md, section 3.7) and `bytes 0-9/100` (RFC 9110). An
// end after the end of the file is returned unchanged, because servers repeat the requested end
// (service-notes.md, section 5).

/** The content of the header. Offsets count from 0; `lastOffset` is inclusive. */
export type ContentRange =
  | {
      readonly kind: 'range'
      readonly firstOffset: number
      readonly lastOffset: number
      readonly totalBytes: number | undefined
    }
  /** `*\/100`: the file has none of the requested bytes. */
  | { readonly kind: 'unsatisfied'; readonly totalBytes: number | undefined }
  | { readonly kind: 'unreadable'; readonly problem: 'missing' | 'repeated' | 'invalid' }

const RANGE = /^(?:bytes[ \t]+)?(\d+)-(\d+)\/(\d+|\*)$/i
const UNSATISFIED = /^(?:bytes[ \t]+)?\*\/(\d+|\*)$/i

/** Reads the value of the header. Repeated headers arrive joined by a comma. Never throws. */
export function readContentRange(header: string | undefined): ContentRange {
  const text = header?.trim()
  if (!text) return unreadable('missing')
  if (text.includes(',')) return unreadable('repeated')
  const unsatisfied = UNSATISFIED.exec(text)
  if (unsatisfied) return checked({ kind: 'unsatisfied', totalBytes: total(unsatisfied[1]) })
  const range = RANGE.exec(text)
  if (!range) return unreadable('invalid')
  const [firstOffset, lastOffset] = [Number(range[1]), Number(range[2])]
  if (firstOffset > lastOffset || !Number.isSafeInteger(lastOffset)) return unreadable('invalid')
  return checked({ kind: 'range', firstOffset, lastOffset, totalBytes: total(range[3]) })
}

function unreadable(problem: 'missing' | 'repeated' | 'invalid'): ContentRange {
  return { kind: 'unreadable', problem }
}

function total(text: string | undefined): number | undefined {
  return text === '*' ? undefined : Number(text)
}

/** Refuses a total above 2^53, where two different offsets would be read as the same number. */
function checked(read: Extract<ContentRange, { totalBytes: number | undefined }>): ContentRange {
  return read.totalBytes === undefined || Number.isSafeInteger(read.totalBytes)
    ? read
    : unreadable('invalid')
}

// Distinguishes a feed file from an error page with a status of success: by its media type and by
// its first bytes.

/** The two magic bytes of gzip (RFC 1952, 2.3.1). */
export const GZIP_SIGNATURE: Uint8Array = Uint8Array.of(0x1f, 0x8b)

/** Media types that are no feed file: HTML, JSON, XML and multipart. */
const REFUSED = /^(?:text\/html|multipart\/.*|(?:application|text)\/(?:.*\+)?(?:json|xml|html))$/i

/**
 * True where a body of this Content-Type cannot be a feed file. Parameters such as the charset are
 * ignored.
 */
export function refusedContentType(contentType: string | undefined): boolean {
  const mediaType = contentType?.split(';', 1)[0]?.trim()
  return mediaType !== undefined && REFUSED.test(mediaType)
}

/**
 * True where `bytes`, at `offset` of the file, contradict the signature that the file must begin
 * with. Each part is checked alone, so the signature may arrive in several parts.
 */
export function contradictsSignature(
  offset: number,
  bytes: Uint8Array,
  signature: Uint8Array,
): boolean {
  const end = Math.min(signature.length, offset + bytes.length)
  for (let at = offset; at < end; at++) if (bytes[at - offset] !== signature[at]) return true
  return false
}
