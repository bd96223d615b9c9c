// What a response says about the file it has a part of: its identity, its size, and whether it is a
// feed file at all.
//
// The identity is the total, Last-Modified and a strong ETag (service-notes.md, section 5). Two
// responses with the same identity carry bytes of the same file. The service sends no checksum and
// often no ETag. A value that a response leaves out is not compared.

import { readInstant } from '../instant'

/** The values that the responses so far have stated. */
export interface FileIdentity {
  /** The size of the file, where a response stated it. */
  readonly totalBytes?: number
  /** The header as it was sent. It is compared as text, not as a date. */
  readonly lastModified?: string
  /** The header Date of the same answer, by which {@link possibleDate} judges Last-Modified. */
  readonly date?: string
  /** A strong entity tag with its quotes. */
  readonly etag?: string
}

export interface IdentityChange {
  readonly what: 'total' | 'last-modified' | 'etag'
  readonly before: string
  readonly after: string
}

/**
 * Returns the identity that the headers of a response state. Weak and malformed entity tags are
 * left out, because they do not prove that bytes are equal.
 */
export function identityOf(
  totalBytes: number | undefined,
  lastModified: string | undefined,
  etag: string | undefined,
  date?: string,
): FileIdentity {
  return {
    ...(totalBytes === undefined ? {} : { totalBytes }),
    ...(lastModified ? { lastModified } : {}),
    ...(date ? { date } : {}),
    ...(etag !== undefined && /^"[^"]*"$/.test(etag) ? { etag } : {}),
  }
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
  const madeMs = readInstant(lastModified ?? '')?.getTime() ?? Number.NEGATIVE_INFINITY
  const latestMs = Math.min(nowMs, readInstant(date ?? '')?.getTime() ?? nowMs)
  if (madeMs <= latestMs) return lastModified
  const isPossible = madeMs <= latestMs + CLOCKS_DIFFER_MS
  return isPossible ? new Date(madeMs - CLOCKS_DIFFER_MS).toUTCString() : undefined
}

/** Returns the first value in which `seen` contradicts `pinned`. */
export function identityChange(
  pinned: FileIdentity,
  seen: FileIdentity,
): IdentityChange | undefined {
  return (
    changed('total', pinned.totalBytes, seen.totalBytes) ??
    changed('last-modified', pinned.lastModified, seen.lastModified) ??
    changed('etag', pinned.etag, seen.etag)
  )
}

/** Returns `pinned` completed by the values that only `seen` has. */
export function mergeIdentity(pinned: FileIdentity, seen: FileIdentity): FileIdentity {
  return { ...seen, ...pinned }
}

function changed(
  what: IdentityChange['what'],
  before?: string | number,
  after?: string | number,
): IdentityChange | undefined {
  if (before === undefined || after === undefined || before === after) return undefined
  return { what, before: String(before), after: String(after) }
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
