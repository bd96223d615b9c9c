// The four feed operations: from a request to a file and the asked part of it. Each step is a table or a function of its own:
// checks (feed-request.ts), clock (calendar.ts), file and range (file-responder.ts). Tokens are asked for before.

import type { AccessRules } from './access-rules'
import { type BootstrapSchedule, bootstrapSpan, type Calendar, daySpan, hourSpan, priorityDaySpan } from './calendar'
import type { FeedFile, FeedName } from './feed-file'
import { type FeedRequest, partNamed, readFeedRequest, refusalOf } from './feed-request'
import type { FileResponder } from './file-responder'
import type { HeaderForm } from './requested-range'
import { errorBody, errorStatus, SERVICE_ERRORS, type ServiceErrorId } from './service-errors'
import type { World } from './world/world'

export interface FeedServiceOptions {
  readonly world: World
  readonly now: () => Date
  readonly bootstrap: BootstrapSchedule
  /** Categories whose daily files take a day longer. */
  readonly slowCategories: readonly string[]
  readonly access: AccessRules
  readonly files: FileResponder
  readonly marketplaceHeader: string
  readonly marketplacePrefix: string
  /** The largest `end - start` of a range, and the size above which a file needs one. */
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
    const asked = readFeedRequest(request, this.#options.marketplaceHeader)
    const refusal = refusalOf(feed, asked, this.#options)
    if (refusal !== undefined) return this.#refuse(feed, refusal, asked)
    const file = this.#find(feed, asked)
    return typeof file === 'number' ? this.#refuse(feed, file, asked) : this.#send(file, request, asked)
  }

  #find(feed: FeedName, asked: FeedRequest): FeedFile | ServiceErrorId {
    const { now, bootstrap, slowCategories } = this.#options
    const latencyDays = slowCategories.includes(asked.categoryId!) ? 3 : 2
    const span = spanOf(feed, asked, { now: now(), bootstrap, latencyDays })
    return typeof span === 'number' ? span : { feed, marketplaceId: asked.marketplace!, categoryId: asked.categoryId!, ...span }
  }

  #send(file: FeedFile, request: Request, asked: FeedRequest): Promise<Response> {
    const { files, maxRangeBytes, headerForm } = this.#options
    return files.respond(file, request, {
      mediaType: 'text/tab-separated-values',
      maxWholeBytes: maxRangeBytes,
      refuse: (code, contentRange) => {
        const status = code === 13017 && headerForm === 'rfc9110' ? 416 : errorStatus(code, file.feed)
        return this.#errorResponse(status, code, asked, status === 416 ? { 'content-range': contentRange } : {})
      },
    })
  }

  #refuse(feed: FeedName, id: ServiceErrorId, asked: FeedRequest): Response {
    return this.#errorResponse(errorStatus(id, feed), id, asked)
  }

  #errorResponse(status: number, id: ServiceErrorId, asked: FeedRequest, headers: Record<string, string> = {}): Response {
    const error = errorBody(id, partNamed(asked, SERVICE_ERRORS[id].input))
    return Response.json(this.#options.wrapErrors ? { errors: [error] } : error, { status, headers })
  }
}

function spanOf(feed: FeedName, asked: FeedRequest, calendar: Calendar) {
  if (feed === 'item_snapshot') return hourSpan(calendar, asked.snapshotDate!)
  if (feed === 'item_priority') return priorityDaySpan(calendar, asked.date!)
  return asked.feedScope === 'ALL_ACTIVE' ? bootstrapSpan(calendar) : daySpan(calendar, asked.date!)
}
