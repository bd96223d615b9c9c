// The error rows that one part of the service answers by, and the JSON bodies made from them
// (feed-file-catalog.md, sections 3.10 and 6; item-feeds.md, section 5;
// signing-keys-and-subscriptions.md, section 7). The table of documented errors has their statuses,
// error-texts.json their messages. A family knows neither routes nor requests. Each route names the
// rows that its operation can meet.

import { type DocumentedError, documentedErrors, type OperationName } from '../../service/index'
import texts from './error-texts.json'

export interface ErrorRow {
  readonly status: number
  readonly category: DocumentedError['category']
  /** The message. Each answer fills in its placeholders, such as `{max_bytes}`. */
  readonly message: string
  /** The part of the request at fault. `inputRefIds` has its name and `parameters` its value. */
  readonly input?: string
}

export interface ErrorFamilyOptions {
  readonly domain: string
  readonly subdomain: string
  /** Sends `{"errors":[Error]}` instead of the bare Error. */
  readonly wrapped: boolean
  /** Statuses of single codes that replace those of their rows. */
  readonly statuses?: Readonly<Record<number, number>>
  /**
   * The names of inputs in a request where a profile defines them, such as the marketplace header.
   */
  readonly inputNames?: Readonly<Record<string, string>>
  /** The values of placeholders in an error that a test forced. */
  readonly forcedValues?: Readonly<Record<string, string>>
}

export interface ErrorDetails {
  /** The part of the request at fault, if it differs from that of the row. */
  readonly input?: string | undefined
  /** The value of that part, if the request has one. */
  readonly received?: string | null | undefined
  /** The values of the placeholders in the message. Each is also a parameter of the error. */
  readonly values?: Readonly<Record<string, string>>
  readonly headers?: Readonly<Record<string, string>>
}

/** The longest piece of a request that an error body repeats. */
const ECHO_CHARS = 80

/** The code for invalid data in the request (item-feeds.md, section 5). */
export const INVALID_DATA = 13000

/** The names of the catalog and the feeds in errors (feed-file-catalog.md, section 3.10). */
const FEED_ERRORS = { domain: 'API_FEED', subdomain: 'feed' } as const

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

  /**
   * Answers with the documented error of this code. `details.status` takes precedence over the
   * status of the row.
   */
  response(id: Id, details: ErrorDetails & { readonly status?: number } = {}): Response {
    return this.#respond(details.status ?? this.status(id), { errorId: id }, this.rows[id], details)
  }

  /** Answers with an Error object without a code, for cases without a documented code. */
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
    const { domain, subdomain, inputNames = {}, forcedValues } = this.#options
    const { received, values = {}, headers = {} } = details
    const input = details.input ?? inputNames[row.input ?? ''] ?? row.input
    const message = filled(row.message, { ...forcedValues, ...values })
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

/** The errors outside all documented operations. None of them has a code. */
export function plainErrors(wrapped: boolean): ErrorFamily<never> {
  return new ErrorFamily<never>({}, { ...FEED_ERRORS, wrapped })
}

/**
 * Returns the message with its placeholders filled in. An error that a test forced shows the names
 * of those without a value.
 */
function filled(message: string, values: Readonly<Record<string, string>>): string {
  return message.replaceAll(
    /\{(\w+)\}/g,
    (_, name: string) => values[name] ?? name.replaceAll('_', ' '),
  )
}

/** The codes of a part of the service. */
export type ErrorId<Part extends keyof typeof texts> = NumberIn<keyof (typeof texts)[Part]>

type NumberIn<Text> = Text extends `${infer Value extends number}` ? Value : never

/** The names of the parts of the service in errors. */
const PARTS = {
  feeds: FEED_ERRORS,
  catalog: FEED_ERRORS,
  keys: { domain: 'API_KEYS', subdomain: 'keys' },
  notifications: { domain: 'API_NOTIFICATION', subdomain: 'notification' },
}

/** The errors of operations of one part of the service, by the first status that each code has. */
export function documentedFamily<Part extends keyof typeof texts>(
  part: Part,
  operations: readonly OperationName[],
  options: Omit<ErrorFamilyOptions, 'domain' | 'subdomain'>,
): ErrorFamily<ErrorId<Part>> {
  const rows: Record<number, ErrorRow> = {}
  for (const { operation, errorId, status, category } of documentedErrors) {
    if (operations.includes(operation))
      rows[errorId] ??= {
        status,
        category,
        ...(texts[part] as Readonly<Record<string, { message: string; input?: string }>>)[errorId]!,
      }
  }
  return new ErrorFamily(rows as Record<ErrorId<Part>, ErrorRow>, { ...options, ...PARTS[part] })
}

/** The codes that an operation can answer with. */
export function errorIds(operation: OperationName): readonly number[] {
  const own = documentedErrors.filter(error => error.operation === operation)
  return [...new Set(own.map(({ errorId }) => errorId))].sort((a, b) => a - b)
}
