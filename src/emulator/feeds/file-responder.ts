// Makes the response to a request for a file or a part of it (item-feeds.md, section 3.7;
// feed-file-catalog.md, section 2.7). The operation has chosen the file and checked the permission
// before, and it words the errors. A fault can replace the file at an address; its selection
// travels beside the request, so that no client can make it.
//
// A feed file is compressed already, so the content coding that a client can ask for compresses it
// a second time without a gain (item-feeds.md, section 3.7). The coded bytes are then the
// representation: ranges and totals count them (RFC 9110, 8.4 and 14.2).

import { type Chunks, streamOf } from '../http/body-stream'
import type { World } from '../world/world'
import { gzipBytes, gzipped, hasRows } from './feed-file'
import type { FileCache, FileLease } from './file-cache'
import { type FeedFile, type FileFormat, fileKey } from './file-format'
import {
  answerRange,
  type ByteSpan,
  type HeaderForm,
  type RangeAnswer,
  type RangeRules,
  wholeAnswer,
} from './requested-range'

export interface FileResponderOptions {
  readonly world: World
  readonly format: FileFormat
  readonly cache: FileCache
  readonly headerForm: HeaderForm
  /** The largest `end - start` of a range. */
  readonly maxRangeBytes: number
}

export interface DownloadRules {
  readonly mediaType: string
  /** The size in bytes above which a request needs a Range. */
  readonly maxWholeBytes: number
  /** Makes the answer to a refused Range; `contentRange` is for status 416. */
  refuse(code: Extract<RangeAnswer, { kind: 'refused' }>['code'], contentRange: string): Response
}

export interface FileVariant {
  /**
   * The number of replacements. Each one has the same rows, other bytes and another Last-Modified.
   */
  readonly generation: number
  /** The number of bytes missing at the end. */
  readonly cutBytes: number
  /** True answers with the whole file, as a server that does not know the header Range. */
  readonly ignoresRange?: boolean
}

export const ORIGINAL: FileVariant = { generation: 0, cutBytes: 0 }

const variants = new WeakMap<Request, FileVariant>()

export function setVariant(request: Request, variant: FileVariant): void {
  variants.set(request, variant)
}

export function variantOf(request: Request): FileVariant {
  return variants.get(request) ?? ORIGINAL
}

/**
 * A gzip member without content (RFC 1952). Before a file it moves every byte and changes no row.
 */
const EMPTY_MEMBER = Buffer.from('1f8b08000000000000ff03000000000000000000', 'hex')

/** Returns the bytes before those of the original. */
export function variantPrefix({ generation }: FileVariant): Uint8Array {
  const prefix = new Uint8Array(EMPTY_MEMBER.length * generation)
  for (let i = 0; i < generation; i++) prefix.set(EMPTY_MEMBER, i * EMPTY_MEMBER.length)
  return prefix
}

/**
 * Each replacement is dated a second earlier, so that no row appears newer than a change that the
 * file lacks.
 */
export function variantModified({ generation }: FileVariant, modified: Date): Date {
  return new Date(modified.getTime() - generation * 1000)
}

export class FileResponder {
  readonly #options: FileResponderOptions

  constructor(options: FileResponderOptions) {
    this.#options = options
  }

  /**
   * Answers with the whole file, with a part of it, with the refusal of the Range, or with 204 for
   * a file without rows.
   */
  async respond(file: FeedFile, request: Request, rules: DownloadRules): Promise<Response> {
    const coded = asksForGzip(request.headers.get('accept-encoding'))
    const variant = variantOf(request)
    const storedBytes = await this.totalBytes(file, coded)
    if (storedBytes === 0) return new Response(null, { status: 204 })
    const { headerForm, maxRangeBytes } = this.#options
    const totalBytes = representationBytes(storedBytes, variant)
    const rangeRules: RangeRules = { headerForm, maxRangeBytes, maxWholeBytes: rules.maxWholeBytes }
    const answer = variant.ignoresRange
      ? wholeAnswer(totalBytes)
      : answerRange(request.headers.get('range'), totalBytes, rangeRules)
    if (answer.kind === 'refused') return rules.refuse(answer.code, answer.contentRange)
    const headers = {
      'content-type': rules.mediaType,
      'content-length': String(answer.sent.end - answer.sent.start + 1),
      'last-modified': variantModified(variant, file.to).toUTCString(),
      ...(coded ? { 'content-encoding': 'gzip' } : {}),
      ...(headerForm === 'rfc9110' ? { 'accept-ranges': 'bytes', vary: 'accept-encoding' } : {}),
      ...(answer.contentRange === undefined ? {} : { 'content-range': answer.contentRange }),
    }
    const body = streamOf(this.#chunks(file, coded, variant, answer.sent))
    return new Response(body, { status: answer.status, headers })
  }

  /**
   * Returns the size of the stored file, which is 0 for a file without rows. It makes the file if
   * necessary.
   */
  async totalBytes(file: FeedFile, coded = false): Promise<number> {
    const lease = await this.#lease(file, coded)
    lease.release()
    return lease.totalBytes
  }

  /**
   * Takes the file from the cache only when the body is read, so that an unread body holds no file.
   */
  async *#chunks(file: FeedFile, coded: boolean, variant: FileVariant, sent: ByteSpan): Chunks {
    const held = await this.#lease(file, coded)
    try {
      yield* readVariant(held, variant, sent.start, sent.end + 1)
    } finally {
      held.release()
    }
  }

  /** A file without rows has no bytes, compressed again or not. */
  #lease(file: FeedFile, coded: boolean): Promise<FileLease> {
    const { cache, world, format } = this.#options
    const stored = () => gzipBytes(world, file, format)
    if (!coded) return cache.lease(fileKey(file), stored)
    return cache.lease(`${fileKey(file)}/gzip`, async function* () {
      if (hasRows(world, file, format)) yield* gzipped(stored(), 1)
    })
  }
}

/** Returns the size that is sent, which is at least one byte. */
function representationBytes(storedBytes: number, variant: FileVariant): number {
  return Math.max(1, variantPrefix(variant).length + storedBytes - variant.cutBytes)
}

async function* readVariant(
  held: FileLease,
  variant: FileVariant,
  start: number,
  end: number,
): Chunks {
  const prefix = variantPrefix(variant)
  if (start < prefix.length) yield prefix.slice(start, end)
  if (end > prefix.length) yield* held.read(Math.max(0, start - prefix.length), end - prefix.length)
}

/** Returns whether `Accept-Encoding` accepts gzip by its name. A `*` does not count. */
export function asksForGzip(acceptEncoding: string | null): boolean {
  return (acceptEncoding ?? '').split(',').some(part => {
    const [coding = '', ...parameters] = part.split(';').map(text => text.trim().toLowerCase())
    return (
      (coding === 'gzip' || coding === 'x-gzip') &&
      !parameters.some(parameter => /^q=0(\.0*)?$/.test(parameter))
    )
  })
}
