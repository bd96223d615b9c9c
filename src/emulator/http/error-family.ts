// The error rows that one part of the service answers by, and the JSON bodies made from them
// (feed-file-catalog.md, sections 3.10 and 6; item-feeds.md, section 5;
// signing-keys-and-subscriptions.md, section 7). A family knows neither routes nor requests:
// which rows an operation can meet is said where its route is.

export interface ErrorRow {
  readonly status: number
  readonly category: 'REQUEST' | 'BUSINESS' | 'APPLICATION'
  /** May hold placeholders such as `{max_bytes}`, which each answer fills in. */
  readonly message: string
  /** The part of the request at fault: named in `inputRefIds`, its value in `parameters`. */
  readonly input?: string
}

export interface ErrorFamilyOptions {
  readonly domain: string
  readonly subdomain: string
  /** Sends `{"errors":[Error]}` in place of the bare Error. */
  readonly wrapped: boolean
  /** Statuses chosen for single codes in place of the row's own. */
  readonly statuses?: Readonly<Record<number, number>>
  /**
   * What the inputs of rows are called in a request, where a profile says so: the marketplace
   * header, for one.
   */
  readonly inputNames?: Readonly<Record<string, string>>
}

export interface ErrorDetails {
  /** The part of the request at fault, where it is another than the row's. */
  readonly input?: string | undefined
  /** The value of that part, where the request had one. */
  readonly received?: string | null | undefined
  /** What the placeholders of the message stand for. Each is a parameter of the error too. */
  readonly values?: Readonly<Record<string, string>>
  readonly headers?: Readonly<Record<string, string>>
}

/** Longest piece of a request that an error body repeats. */
const ECHO_CHARS = 80

/** Some data of the request is not valid (item-feeds.md, section 5). */
export const INVALID_DATA = 13000

/** How the catalog and the feeds name themselves in errors (feed-file-catalog.md, section 3.10). */
export const FEED_ERRORS = { domain: 'API_FEED', subdomain: 'feed' } as const

export class ErrorFamily<Id extends number = number> {
  readonly rows: Readonly<Record<Id, ErrorRow>>
  readonly wrapped: boolean
  readonly #options: ErrorFamilyOptions

  constructor(rows: Readonly<Record<Id, ErrorRow>>, options: ErrorFamilyOptions) {
    this.rows = rows
    this.wrapped = options.wrapped
    this.#options = options
  }

  status(id: Id): number {
    return this.#options.statuses?.[id] ?? this.rows[id].status
  }

  /** The documented error of this code. `details.status` comes before the row's own status. */
  response(id: Id, details: ErrorDetails & { readonly status?: number } = {}): Response {
    return this.#respond(details.status ?? this.status(id), { errorId: id }, this.rows[id], details)
  }

  /** An Error object without a code, for what the documents give none to. */
  codeless(status: number, message: string, details: ErrorDetails = {}): Response {
    const category = status >= 500 ? 'APPLICATION' : 'REQUEST'
    return this.#respond(status, {}, { status, category, message }, details)
  }

  #respond(
    status: number,
    code: { readonly errorId?: number },
    row: ErrorRow,
    details: ErrorDetails,
  ): Response {
    const { domain, subdomain, inputNames = {} } = this.#options
    const { received, values = {}, headers = {} } = details
    const input = details.input ?? inputNames[row.input ?? ''] ?? row.input
    const message = filled(row.message, values)
    const named =
      input === undefined || !received
        ? []
        : [{ name: input, value: received.slice(0, ECHO_CHARS) }]
    const error = {
      category: row.category,
      domain,
      ...code,
      subdomain,
      message,
      longMessage: message,
      inputRefIds: input === undefined ? [] : [input],
      outputRefIds: [],
      parameters: [...named, ...Object.entries(values).map(([name, value]) => ({ name, value }))],
    }
    return Response.json(this.wrapped ? { errors: [error] } : error, {
      status,
      headers: { ...headers },
    })
  }
}

/** Errors that no operation of a document has: all of them are without a code. */
export function plainErrors(wrapped: boolean): ErrorFamily<never> {
  return new ErrorFamily<never>({}, { ...FEED_ERRORS, wrapped })
}

/**
 * The message with its placeholders filled in. An error that a test forced has no values: there the
 * name of each stands.
 */
function filled(message: string, values: Readonly<Record<string, string>>): string {
  return message.replaceAll(
    /\{(\w+)\}/g,
    (_, name: string) => values[name] ?? name.replaceAll('_', ' '),
  )
}

/** A row that is the caller's mistake. */
export function requestError(status: number, message: string, input?: string): ErrorRow {
  return { status, category: 'REQUEST', message, ...(input === undefined ? {} : { input }) }
}
