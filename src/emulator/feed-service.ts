// The four feed operations: from a request to a file and the asked part of it. Each step is a table or a function of its own:
// token, checks (feed-request.ts), clock (calendar.ts), file (feed-file.ts, file-cache.ts), range (requested-range.ts).

import { bootstrapSpan, type Calendar, daySpan, hourSpan } from './calendar'
import { type FeedFile, type FeedName, type FileFormat, fileKey, gzipBytes } from './feed-file'
import { type FeedRequest, partNamed, readFeedRequest, refusalOf } from './feed-request'
import type { FileCache, FileLease } from './file-cache'
import { type ByteSpan, clampRange, contentRange, type HeaderForm, isUnsatisfiable, readRange, unsatisfiedRange } from './requested-range'
import { errorBody, errorStatus, SERVICE_ERRORS, type ServiceErrorId } from './service-errors'
import { type TokenIssuer, unauthorized } from './tokens'
import type { World } from './world/world'

export interface FeedServiceOptions {
  readonly world: World
  readonly now: () => Date
  readonly bootstrapAt: Date
  readonly format: FileFormat
  readonly cache: FileCache
  readonly tokens: TokenIssuer
  /** The scope that all four operations need. */
  readonly scope: string
  readonly marketplaceHeader: string
  readonly marketplacePrefix: string
  readonly maxRangeBytes: number
  readonly headerForm: HeaderForm
  readonly wrapErrors: boolean
}

export class FeedService {
  readonly #options: FeedServiceOptions

  constructor(options: FeedServiceOptions) {
    this.#options = options
  }

  /** Answers a request for one of the feeds. */
  async answer(feed: FeedName, request: Request): Promise<Response> {
    const { tokens, scope, marketplaceHeader } = this.#options
    const authorization = request.headers.get('authorization')
    const token = tokens.check(authorization, scope)
    if (token !== 'valid') return unauthorized(token, authorization)
    const asked = readFeedRequest(request, marketplaceHeader)
    const refusal = refusalOf(feed, asked, this.#options)
    if (refusal !== undefined) return this.#refuse(feed, refusal, asked)
    const file = this.#find(feed, asked)
    return typeof file === 'number' ? this.#refuse(feed, file, asked) : this.#send(file, asked)
  }

  /** The answer when something inside failed. */
  failure(): Response {
    return this.#errorResponse(500, 13006)
  }

  #find(feed: FeedName, asked: FeedRequest): FeedFile | ServiceErrorId {
    const { world, now, bootstrapAt } = this.#options
    const span = spanOf(feed, asked, { world, now: now(), bootstrapAt })
    return typeof span === 'number' ? span : { feed, marketplaceId: asked.marketplace!, categoryId: asked.categoryId!, ...span }
  }

  async #send(file: FeedFile, asked: FeedRequest): Promise<Response> {
    const lease = await this.#lease(file)
    const total = lease.totalBytes
    lease.release()
    if (total === 0) return new Response(null, { status: 204 })
    const { maxRangeBytes, headerForm } = this.#options
    if (asked.range === null && total > maxRangeBytes) return this.#refuse(file.feed, 13015, asked)
    const range = wantedRange(asked.range, total)
    if (asked.range !== null && isUnsatisfiable(range, total, maxRangeBytes)) return this.#unsatisfiable(file.feed, total, asked)
    const sent = clampRange(range, total)
    const headers = {
      'content-type': 'text/tab-separated-values',
      'content-length': String(sent.end - sent.start + 1),
      'last-modified': file.to.toUTCString(),
      ...(headerForm === 'rfc9110' && asked.range === null ? {} : { 'content-range': contentRange(headerForm, range, total) }),
    }
    return new Response(this.#body(file, sent), { status: this.#status(asked, sent, total), headers })
  }

  /** RFC 9110 answers every satisfied range with 206; the documents keep 206 for a chunk and 200 for all of it. */
  #status(asked: FeedRequest, sent: ByteSpan, total: number): 200 | 206 {
    const whole = sent.start === 0 && sent.end === total - 1
    return this.#options.headerForm === 'rfc9110' ? (asked.range === null ? 200 : 206) : whole ? 200 : 206
  }

  /** Takes the file only when somebody reads: a body that is never read holds nothing. */
  #body(file: FeedFile, sent: ByteSpan): ReadableStream<Uint8Array> {
    const lease = () => this.#lease(file)
    const chunks = (async function* () {
      const held = await lease()
      try {
        yield* held.read(sent.start, sent.end + 1)
      } finally {
        held.release()
      }
    })()
    return streamOf(chunks)
  }

  #lease(file: FeedFile): Promise<FileLease> {
    const { cache, world, format } = this.#options
    return cache.lease(fileKey(file), () => gzipBytes(world, file, format))
  }

  #unsatisfiable(feed: FeedName, total: number, asked: FeedRequest): Response {
    const { headerForm } = this.#options
    const status = headerForm === 'rfc9110' ? 416 : errorStatus(13017, feed)
    return this.#errorResponse(status, 13017, asked, status === 416 ? { 'content-range': unsatisfiedRange(headerForm, total) } : {})
  }

  #refuse(feed: FeedName, id: ServiceErrorId, asked: FeedRequest): Response {
    return this.#errorResponse(errorStatus(id, feed), id, asked)
  }

  #errorResponse(status: number, id: ServiceErrorId, asked?: FeedRequest, headers: Record<string, string> = {}): Response {
    const received = asked === undefined ? null : partNamed(asked, SERVICE_ERRORS[id].input)
    const error = errorBody(id, received)
    return Response.json(this.#options.wrapErrors ? { errors: [error] } : error, { status, headers })
  }
}

function spanOf(feed: FeedName, asked: FeedRequest, calendar: Calendar) {
  if (feed === 'item_snapshot') return hourSpan(calendar, asked.snapshotDate!)
  return feed !== 'item_priority' && asked.feedScope === 'ALL_ACTIVE' ? bootstrapSpan(calendar) : daySpan(calendar, asked.date!)
}

/** The asked span, or all of the file. A header that cannot be read was refused before. */
function wantedRange(header: string | null, total: number): ByteSpan {
  const range = header === null ? undefined : readRange(header)
  return typeof range === 'object' ? range : { start: 0, end: total - 1 }
}

function streamOf(chunks: AsyncGenerator<Uint8Array, void, void>): ReadableStream<Uint8Array> {
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        const next = await chunks.next()
        if (next.done) controller.close()
        else controller.enqueue(next.value)
      },
      async cancel() {
        await chunks.return()
      },
    },
    { highWaterMark: 0 },
  )
}
