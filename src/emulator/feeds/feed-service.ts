// The four feed operations. Each finds the file of a request and the requested part of it, in
// steps: checks (feed-request.ts), clock (calendar.ts), file and range (file-responder.ts). The
// token has been checked before.

import type { ServiceProfile } from '../../service/index'
import type { AccessRules } from '../access-rules'
import type { ErrorDetails, ErrorFamily } from '../http/error-family'
import type { World } from '../world/world'
import {
  type BootstrapSchedule,
  bootstrapSpan,
  type Calendar,
  daySpan,
  hourSpan,
  priorityDaySpan,
  servedDays,
} from './calendar'
import type { FeedFile, FeedName } from './feed-file'
import {
  FEED_SCOPES,
  type FeedRequest,
  partNamed,
  readFeedRequest,
  refusalOf,
} from './feed-request'
import type { FileResponder } from './file-responder'
import type { HeaderForm } from './requested-range'
import { feedErrors, type ServiceErrorId } from './service-errors'

export interface FeedServiceOptions {
  readonly world: World
  readonly now: () => Date
  readonly bootstrap: BootstrapSchedule
  /** Categories whose daily files appear a day later. */
  readonly slowCategories: readonly string[]
  readonly access: AccessRules
  readonly files: FileResponder
  readonly profile: ServiceProfile
  readonly headerForm: HeaderForm
  readonly wrapErrors: boolean
}

export class FeedService {
  readonly #options: FeedServiceOptions
  readonly #errors: Readonly<Record<FeedName, ErrorFamily<ServiceErrorId>>>

  constructor(options: FeedServiceOptions) {
    this.#options = options
    this.#errors = {
      item: feedErrors('item', options),
      item_group: feedErrors('item_group', options),
      item_snapshot: feedErrors('item_snapshot', options),
      item_priority: feedErrors('item_priority', options),
    }
  }

  /** The errors of the feed. */
  errors(feed: FeedName): ErrorFamily<ServiceErrorId> {
    return this.#errors[feed]
  }

  /** Answers a request for one of the feeds. */
  async answer(feed: FeedName, request: Request): Promise<Response> {
    const { profile, headerForm, world, access } = this.#options
    const asked = readFeedRequest(request, profile.marketplaceHeader)
    const { marketplacePrefix } = profile
    const refusal = refusalOf(feed, asked, { world, access, headerForm, marketplacePrefix })
    if (refusal !== undefined) return this.#refuse(feed, refusal, asked)
    const file = this.#find(feed, asked)
    return typeof file === 'number'
      ? this.#refuse(feed, file, asked)
      : this.#send(file, request, asked)
  }

  #find(feed: FeedName, asked: FeedRequest): FeedFile | ServiceErrorId {
    const span = spanOf(feed, asked, this.#calendar(asked))
    return typeof span === 'number'
      ? span
      : { feed, marketplaceId: asked.marketplace!, categoryId: asked.categoryId!, ...span }
  }

  #calendar({ categoryId }: FeedRequest): Calendar {
    const { now, bootstrap, slowCategories } = this.#options
    return { now: now(), bootstrap, latencyDays: slowCategories.includes(categoryId ?? '') ? 3 : 2 }
  }

  /**
   * The size of the largest range is also that of the largest file that needs no Range
   * (item-feeds.md, section 6).
   */
  #send(file: FeedFile, request: Request, asked: FeedRequest): Promise<Response> {
    const { files, profile } = this.#options
    return files.respond(file, request, {
      mediaType: 'text/tab-separated-values',
      maxWholeBytes: profile.maxRangeBytes,
      refuse: (code, contentRange) => {
        const isRefusedRange = this.#errors[file.feed].status(code) === 416
        return this.#refuse(
          file.feed,
          code,
          asked,
          isRefusedRange ? { 'content-range': contentRange } : {},
        )
      },
    })
  }

  #refuse(
    feed: FeedName,
    id: ServiceErrorId,
    asked: FeedRequest,
    headers: Record<string, string> = {},
  ): Response {
    const errors = this.#errors[feed]
    // A missing file belongs to a time, unless it is the bootstrap file.
    const time =
      feed === 'item_snapshot'
        ? 'snapshot_date'
        : feed !== 'item_priority' && asked.feedScope === 'ALL_ACTIVE'
          ? undefined
          : 'date'
    const input = errors.rows[id].input ?? (id === 13007 ? time : undefined)
    const details: ErrorDetails = {
      received: partNamed(asked, input),
      values: this.#validValues(feed, id, asked),
      headers,
    }
    return errors.response(id, id === 13007 ? { ...details, input } : details)
  }

  /** The values of the placeholders in the message. */
  #validValues(feed: FeedName, id: ServiceErrorId, asked: FeedRequest): Record<string, string> {
    const { world, profile } = this.#options
    switch (id) {
      case 13003:
      case 13009:
        return { valid_values: FEED_SCOPES.join(', ') }
      case 13005:
      case 13011: {
        if (feed === 'item_snapshot') return {}
        const { earliest, latest } = servedDays(feed, this.#calendar(asked))
        return { earliest_date: earliest, latest_date: latest }
      }
      case 13012:
      case 13013:
      case 13014:
        return { valid_values: world.options.marketplaces.join(', ') }
      case 13015:
      case 13017:
        return { max_length: String(profile.maxRangeBytes) }
      default:
        return {}
    }
  }
}

function spanOf(feed: FeedName, asked: FeedRequest, calendar: Calendar) {
  if (feed === 'item_snapshot') return hourSpan(calendar, asked.snapshotDate!)
  if (feed === 'item_priority') return priorityDaySpan(calendar, asked.date!)
  return asked.feedScope === 'ALL_ACTIVE' ? bootstrapSpan(calendar) : daySpan(calendar, asked.date!)
}
