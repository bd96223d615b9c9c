// The error rows that one part of the service answers by, and the JSON bodies made from them (document 1, "Error"; documents 1 and 3, "Errors").
// A family knows neither routes nor requests: which rows an operation can meet is said where its route is.

export interface ErrorRow {
  readonly status: number
  readonly category: 'REQUEST' | 'BUSINESS' | 'APPLICATION'
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
}

export interface ErrorDetails {
  /** The value of the row's input, where the request had one. */
  readonly received?: string | null | undefined
  readonly headers?: Readonly<Record<string, string>>
}

/** Longest piece of a request that an error body repeats. */
const ECHO_CHARS = 80

/** The Error object that the documents show. `received` is the value of the row's input, where there is one. */
export function errorObject(
  id: number,
  row: ErrorRow,
  domain: string,
  subdomain: string,
  received?: string | null,
): Record<string, unknown> {
  const { category, message, input } = row
  return {
    category,
    domain,
    errorId: id,
    subdomain,
    message,
    longMessage: message,
    inputRefIds: input === undefined ? [] : [input],
    outputRefIds: [],
    parameters: input === undefined || !received ? [] : [{ name: input, value: received.slice(0, ECHO_CHARS) }],
  }
}

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

  body(id: Id, received?: string | null): Record<string, unknown> {
    const error = errorObject(id, this.rows[id], this.#options.domain, this.#options.subdomain, received)
    return this.wrapped ? { errors: [error] } : error
  }

  response(id: Id, { received, headers = {} }: ErrorDetails = {}): Response {
    return Response.json(this.body(id, received), { status: this.status(id), headers: { ...headers } })
  }
}

/** A row that is the caller's mistake. */
export function requestError(status: number, message: string, input?: string): ErrorRow {
  return { status, category: 'REQUEST', message, ...(input === undefined ? {} : { input }) }
}
