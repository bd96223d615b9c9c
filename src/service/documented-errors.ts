// The table of all documented errors: the operation, the status, and whether a repeat may help.
// documented-errors.json has the rows by the section that states them. The rows `implied` follow
// from other rows: they are codes of operations of the catalog for which the page states none, and
// which have the same code as downloadFile for the same condition.

import table from './documented-errors.json'
import type { OperationName } from './operations'

export interface DocumentedError {
  /** The operation that answers with the error. */
  readonly operation: OperationName
  /** The HTTP status of the answer. */
  readonly status: number
  /** The service's own code. */
  readonly errorId: number
  /** The kind of the failure: of the request, of the business rules, or of the service. */
  readonly category: 'REQUEST' | 'BUSINESS' | 'APPLICATION'
  /** The interface that reports the error. */
  readonly domain: 'API_FEED' | 'API_KEYS' | 'API_NOTIFICATION'
  /** When the service gives the error, in short words. */
  readonly condition: string
  /** True where the same request may succeed later. */
  readonly retryable: boolean
  /**
   * The page and section of the row. `implied` marks a code that is stated for downloadFile and
   * that another operation of the catalog gives for the same condition (feed-file-catalog.md,
   * section 6).
   */
  readonly source:
    | 'feed-file-catalog.md, section 6'
    | 'item-feeds.md, section 5'
    | 'signing-keys-and-subscriptions.md, section 7'
    | 'service-notes.md, section 4.1'
    | 'service-notes.md, section 4.2'
    | 'implied'
}

/** The first element of a row is an operation, or a group of them. */
interface Section extends Pick<DocumentedError, 'source'> {
  readonly rows: readonly (readonly [
    operations: string,
    status: number,
    errorId: number,
    category: DocumentedError['category'],
    condition: string,
  ])[]
}

const sections = table.sections as unknown as readonly Section[]
const groups = table.groups as Readonly<Record<string, readonly string[]>>

/** The documented errors, one row for each operation, status and code. */
export const documentedErrors: readonly DocumentedError[] = Object.freeze(
  sections.flatMap(({ source, rows }) =>
    rows.flatMap(([operations, status, errorId, category, condition]) =>
      (groups[operations] ?? [operations]).map(operation => ({
        operation: operation as OperationName,
        status,
        errorId,
        category,
        condition,
        domain: domainOf(errorId),
        // A file that is still being generated, and failures inside the service.
        retryable: errorId === 13007 || category === 'APPLICATION',
        source,
      })),
    ),
  ),
)

function domainOf(errorId: number): DocumentedError['domain'] {
  if (errorId >= 210_000) return 'API_KEYS'
  return errorId >= 195_000 ? 'API_NOTIFICATION' : 'API_FEED'
}

/**
 * Returns the documented error of an answer; undefined where no page documents it.
 *
 * @example
 * ```ts
 * import { documentedError } from 'feedmill/service'
 *
 * const error = documentedError('getItemFeed', 400, 13014)
 * console.log(error?.status, error?.category, error?.retryable)
 * // => 400 REQUEST false
 * ```
 */
export function documentedError(
  operation: string,
  status: number,
  errorId: number,
): DocumentedError | undefined {
  return documentedErrors.find(
    error => error.operation === operation && error.status === status && error.errorId === errorId,
  )
}
