// The verdict on a response to a range request. It decides by the request, the known identity of
// the file, the status and the headers what to do with the body. It reads no body:
// range-download.ts finds bodies that are too long or too short. The order of the checks matters,
// so they stand in one file. It follows feed-file-catalog.md, sections 2.7 and 6, item-feeds.md,
// sections 3.7 and 5, and service-notes.md, section 5.
//
//   200 206  ─▶ replaced │ empty │ part │ whole │ retry │ fatal         204 ─▶ empty │ replaced
//   416, 400-13017 ─▶ total (the file ends here) │ replaced │ fatal     412 ─▶ replaced │ fatal
//   202 408 425 429 500 502 503 504 520 to 524, 13006, 13007 ─▶ retry      the rest ─▶ fatal

import { type ErrorContexts, excerpt, FeedError, type ServiceDescription } from '../../errors'
import { BROTLI, foreignBody } from '../body-kind'
import {
  type Compared,
  type ContentRange,
  type FileIdentity,
  type IdentityChange,
  identityChange,
  identityOf,
  readContentRange,
  refusedContentType,
} from './file-identity'
import type { ByteRange } from './range-plan'
import { type RefusedResponse, readRefusal } from './status-error'

/** The response. It has a `text` where its body is not the file: see `bodyIsText`. */
export type ResponseFacts = RefusedResponse

export interface VerdictQuestion {
  /** The printable URL, for errors. */
  readonly url: string
  readonly asked: ByteRange
  readonly pinned: FileIdentity
  /** Default: all values. */
  readonly compared?: Compared
  /** Refuse HTML and JSON with a status of success. */
  readonly sniffContentType: boolean
  /** The clock for Retry-After dates, in milliseconds since 1970. */
  readonly nowMs: number
}

/** The end of the range that a request without Range asks for. */
export const WHOLE_END = Number.MAX_SAFE_INTEGER

type SizedIdentity = FileIdentity & { readonly totalBytes: number }

export type Verdict =
  /** The body has `takeBytes` bytes of the file, from the requested start. */
  | { readonly kind: 'part'; readonly takeBytes: number; readonly identity: FileIdentity }
  /** The server ignored the range. The body is the file from its first byte. */
  | {
      readonly kind: 'whole'
      readonly identity: FileIdentity
      /** False where neither a length nor chunks tell the end of the body. */
      readonly isEndKnown: boolean
    }
  /**
   * The file is empty. Only a 204 and a Content-range with a total of 0 prove this.
   */
  | { readonly kind: 'empty'; readonly identity: SizedIdentity }
  /**
   * The response has no bytes, but it states the size of the file. Every byte has arrived where the
   * requested start is the size.
   */
  | { readonly kind: 'total'; readonly identity: SizedIdentity }
  | { readonly kind: 'retry'; readonly error: FeedError; readonly retryAfterMs: number | undefined }
  /** The file was replaced by another. */
  | { readonly kind: 'replaced'; readonly error: FeedError }
  | { readonly kind: 'fatal'; readonly error: FeedError }

/** Range header invalid: wrong start or end positions (item-feeds.md, section 5). */
const RANGE_ERROR_ID = 13017

/** True where the body is not the file but a text, which the caller passes as `facts.text`. */
export function bodyIsText(facts: ResponseFacts, sniffContentType: boolean): boolean {
  return (
    facts.status >= 400 || (sniffContentType && refusedContentType(facts.header('content-type')))
  )
}

export function judgeResponse(question: VerdictQuestion, facts: ResponseFacts): Verdict {
  if (facts.status === 200 || facts.status === 206) return judgeContent(question, facts)
  if (facts.status === 204) return judgeEmpty(question, {})
  const { etag: before } = question.pinned
  if (facts.status === 412 && before !== undefined) {
    const change = { what: 'etag', before, after: facts.header('etag') ?? 'another' } as const
    return { kind: 'replaced', error: replacedError(question, change) }
  }
  const where = { url: question.url, byteOffset: question.asked.start }
  const { error, description, retryAfterMs } = readRefusal(facts, where, question.nowMs)
  if (facts.status === 416 || (facts.status === 400 && description.errorId === RANGE_ERROR_ID))
    return judgeUnsatisfied(question, facts, description)
  return error.retryable ? { kind: 'retry', error, retryAfterMs } : fatal(error)
}

function judgeContent(question: VerdictQuestion, facts: ResponseFacts): Verdict {
  const contentType = facts.header('content-type')
  if (question.sniffContentType && refusedContentType(contentType))
    return fatal(contentTypeError(question, contentType ?? '', facts.text))
  if (question.sniffContentType && /\bbr\b/i.test(facts.header('content-encoding') ?? ''))
    return fatal(contentTypeError(question, 'Content-Encoding: br', undefined, BROTLI))
  const lengthHeader = facts.header('content-length')
  const lengthBytes = readContentLength(lengthHeader)
  if (lengthBytes === 'invalid') return fatal(contentLengthError(question, lengthHeader ?? ''))
  const range = readContentRange(facts.header('content-range'))
  if (facts.status === 200 && range.kind === 'unreadable' && range.problem === 'missing')
    return judgeWhole(question, facts, lengthBytes)
  return judgeRange(question, facts, range)
}

function judgeWhole(
  question: VerdictQuestion,
  facts: ResponseFacts,
  totalBytes: number | undefined,
): Verdict {
  const identity = statedBy(facts, totalBytes)
  // Servers send an empty body while they rewrite a file, so it does not prove an empty file.
  if (totalBytes === 0)
    return { kind: 'retry', error: emptyBodyError(question), retryAfterMs: undefined }
  const isFramed = facts.header('transfer-encoding')?.trim().toLowerCase().endsWith('chunked')
  const isEndKnown = isFramed === true || (totalBytes ?? question.pinned.totalBytes) !== undefined
  return replaced(question, identity) ?? { kind: 'whole', identity, isEndKnown }
}

function judgeRange(question: VerdictQuestion, facts: ResponseFacts, range: ContentRange): Verdict {
  if (range.kind === 'unreadable') return fatal(rangeHeaderError(question, facts, range.problem))
  const { asked } = question
  const identity = statedBy(facts, range.totalBytes)
  if (range.totalBytes === 0) return judgeEmpty(question, identity)
  const change = replaced(question, identity)
  if (change) return change
  // A part of a file of unknown size does not tell whether it is the whole file that was asked for.
  const isEndless = (range.totalBytes ?? question.pinned.totalBytes) === undefined
  if (range.kind === 'unsatisfied' || (isEndless && asked.end === WHOLE_END))
    return fatal(rangeHeaderError(question, facts, 'invalid'))
  if (range.firstOffset !== asked.start) return fatal(startError(question, range.firstOffset))
  // Another end than the requested one is no mistake: some servers repeat an end behind that of
  // the file. What lies before it is taken, and the rest is requested again.
  const end = Math.min(
    range.lastOffset + 1,
    asked.end,
    range.totalBytes ?? asked.end,
    question.pinned.totalBytes ?? asked.end,
  )
  if (end <= asked.start) return fatal(rangeHeaderError(question, facts, 'invalid'))
  return { kind: 'part', takeBytes: end - asked.start, identity }
}

function judgeEmpty(question: VerdictQuestion, seen: FileIdentity): Verdict {
  const identity = { ...seen, totalBytes: 0 }
  return replaced(question, identity, 'given') ?? { kind: 'empty', identity }
}

function judgeUnsatisfied(
  question: VerdictQuestion,
  facts: ResponseFacts,
  description: ServiceDescription,
): Verdict {
  const range = readContentRange(facts.header('content-range'))
  const { asked, pinned } = question
  if (range.kind !== 'unsatisfied' || range.totalBytes === undefined)
    return fatal(unsatisfiableError(question, facts, description))
  const identity = { totalBytes: range.totalBytes }
  if (range.totalBytes === 0) return judgeEmpty(question, identity)
  // A total that ends the download has to be that of the same file.
  const isEnd = pinned.totalBytes === undefined && asked.start > 0
  const change = isEnd
    ? replaced(question, statedBy(facts, range.totalBytes))
    : replaced(question, identity, 'given')
  if (change) return change
  if (range.totalBytes === asked.start) return { kind: 'total', identity }
  // A strict server may refuse a range that ends after the end of the file. The next request ends
  // within the total.
  if (pinned.totalBytes === undefined && asked.end > range.totalBytes)
    return { kind: 'total', identity }
  return fatal(unsatisfiableError(question, facts, description))
}

function statedBy(facts: ResponseFacts, totalBytes: number | undefined): FileIdentity {
  const [date, tag] = [facts.header('last-modified'), facts.header('etag')]
  return identityOf(totalBytes, date, tag, facts.header('date'))
}

function replaced(
  question: VerdictQuestion,
  seen: FileIdentity,
  compared = question.compared,
): Verdict | undefined {
  const change = identityChange(question.pinned, seen, compared) ?? shrunk(question, seen)
  return change && { kind: 'replaced', error: replacedError(question, change) }
}

/** Without a known total, a file with fewer bytes than have arrived is another file. */
function shrunk(
  { asked }: VerdictQuestion,
  { totalBytes }: FileIdentity,
): IdentityChange | undefined {
  if (totalBytes === undefined || totalBytes >= asked.start) return undefined
  return { what: 'total', before: `at least ${asked.start}`, after: String(totalBytes) }
}

function fatal(error: FeedError): Verdict {
  return { kind: 'fatal', error }
}

/**
 * Reads the header Content-Length. RFC 9110 allows a list of equal lengths; a list is refused here,
 * because a service that sends one is not reliable.
 */
function readContentLength(header: string | undefined): number | 'invalid' | undefined {
  if (header === undefined) return undefined
  const lengthBytes = /^\d+$/.test(header.trim()) ? Number(header) : Number.NaN
  return Number.isSafeInteger(lengthBytes) ? lengthBytes : 'invalid'
}

function replacedError({ url, asked }: VerdictQuestion, change: IdentityChange): FeedError {
  const [before, after] = [excerpt(change.before), excerpt(change.after)]
  return fileReplaced({ url, byteOffset: asked.start, what: change.what, before, after })
}

type Replaced = ErrorContexts['RANGE_FILE_REPLACED']

const REASONS: Readonly<Record<Exclude<Replaced['what'], 'proof'>, string>> = {
  total: 'its size changed',
  'last-modified': 'its Last-Modified changed',
  etag: 'its ETag changed',
  bytes: 'its checksum changed',
  sha256: 'its SHA-256 is not that of the option `expected`: it changed',
}

export function fileReplaced(
  context: Replaced & { readonly what: keyof typeof REASONS },
): FeedError<'RANGE_FILE_REPLACED'> {
  const { what, before, after } = context
  const reason = `${REASONS[what]} from ${before} to ${after}`
  const message = `the file was replaced during the read, so read it again: ${reason}`
  return new FeedError('RANGE_FILE_REPLACED', message, context)
}

/**
 * Refuses a file of a disk that is another one than before.
 * @throws FeedError RANGE_FILE_REPLACED
 */
export function refuseChange(
  url: string,
  byteOffset: number,
  was: FileIdentity,
  is: FileIdentity,
): void {
  if (was.totalBytes === is.totalBytes && was.etag === is.etag) return
  const [before = '', after = ''] = [was, is].map(
    ({ totalBytes, lastModified }) => `${totalBytes} bytes of ${lastModified}`,
  )
  const message = `${url} changed while it was read, so read it again: ${before} became ${after}`
  const context = { url, byteOffset, what: 'etag', before, after } as const
  throw new FeedError('RANGE_FILE_REPLACED', message, context)
}

const NO_PROOF = 'neither a strong ETag nor a Last-Modified at least 60 s before its Date'

/** Returns the error of bytes that nothing proves to be of the file that was begun. */
export function unproven(url: string, byteOffset: number): FeedError<'RANGE_FILE_REPLACED'> {
  const message = `nothing proves that what follows byte ${byteOffset} is of the same file, because the server states ${NO_PROOF}: read it again, or name its size and SHA-256 by the option \`expected\``
  const context = { url, byteOffset, what: 'proof', before: '', after: '' } as const
  return new FeedError('RANGE_FILE_REPLACED', message, context)
}

function rangeHeaderError(
  { url, asked }: VerdictQuestion,
  facts: ResponseFacts,
  problem: 'missing' | 'repeated' | 'invalid',
): FeedError {
  const received = excerpt(facts.header('content-range') ?? '')
  const code = problem === 'invalid' ? 'RANGE_HEADER_INVALID' : 'RANGE_HEADER_MISSING'
  const message = `Content-range is ${problem} in a response with status ${facts.status}`
  return new FeedError(code, message, { url, byteOffset: asked.start, received })
}

function startError({ url, asked }: VerdictQuestion, received: number): FeedError {
  const message = `the request asked for byte ${asked.start}, but the response begins at ${received}`
  return new FeedError('RANGE_START_MISMATCH', message, { url, byteOffset: asked.start, received })
}

function emptyBodyError({ url, asked }: VerdictQuestion): FeedError {
  const message =
    'the body of a 200 is empty; only a 204 or a Content-range with total 0 proves an empty file'
  return new FeedError('HTTP_TRANSPORT', message, { url, byteOffset: asked.start })
}

const LABEL =
  "check the address, or, where only this label is wrong, read the file with content: 'table'"

function contentTypeError(
  { url, asked }: VerdictQuestion,
  contentType: string,
  text: string | undefined,
  what = foreignBody(Buffer.from(text ?? '')) ?? LABEL,
): FeedError {
  const context = {
    url,
    contentType: excerpt(contentType),
    byteOffset: asked.start,
    ...(text ? { excerpt: excerpt(text) } : {}),
  }
  const message = `the server sent ${context.contentType} in place of a feed file: ${what}`
  return new FeedError('HTTP_CONTENT_TYPE', message, context)
}

function contentLengthError({ url }: VerdictQuestion, header: string): FeedError {
  const message = 'Content-Length is repeated or not a number: check the server'
  return new FeedError('HTTP_CONTENT_LENGTH', message, { url, received: excerpt(header) })
}

function unsatisfiableError(
  { url, asked }: VerdictQuestion,
  { status }: ResponseFacts,
  error: ServiceDescription,
): FeedError {
  const context = { ...error, url, byteOffset: asked.start, status }
  const message = `the service refuses the range ${asked.start}-${asked.end - 1}: the file may be shorter`
  return new FeedError('RANGE_UNSATISFIABLE', message, context)
}
