// The stage of `validate`: a schema of another library judges each element. This file alone knows the
// interface by which it is asked, the property `~standard` of Standard Schema, version 1.

import { isRow } from '../codec/json-cell'
import { isBadCell } from '../codec/kinds/kind-of-cells'
import { leftOutRow, type RowQuarantine } from '../codec/quarantine/row-quarantine'
import type { Row } from '../codec/row-batch'
import { placeText, rowExcerpt } from '../codec/tsv/bad-row-report'
import { isPromise } from '../core/steps'
import { excerpt, FeedError, messageOf, type RowPosition } from '../errors'
import { type NoPromise, noPromise, type OptionTable, optionInvalid, readOptions } from '../options'
import { badRowPolicy, refuseParts } from '../stages/quarantined'
import { type Outputs, Stage } from '../stages/stage'
import { type ElementOf, elementsOf } from './batch'
import { InOrder } from './in-order'

/** A schema of any library: what Standard Schema, version 1, asks of it. */
export interface StandardSchema<Out = unknown> {
  readonly '~standard': {
    readonly version: 1
    /** The name of the library. */
    readonly vendor: string
    readonly validate: (value: unknown) => StandardResult<Out> | Promise<StandardResult<Out>>
    /** What the values are before and after, for the compiler only. */
    readonly types?: { readonly input: unknown; readonly output: Out } | undefined
  }
}

/** What a {@link StandardSchema} makes of a value: another value, or the issues that refuse it. */
export type StandardResult<Out> =
  | { readonly value: Out; readonly issues?: undefined }
  | {
      readonly issues: readonly {
        readonly message: string
        readonly path?: readonly (PropertyKey | { readonly key: PropertyKey })[] | undefined
      }[]
    }

/** The report of a row that `validate` leaves out. */
export interface RefusedRow<E> {
  /** The error that `onBadRow: 'throw'` would throw. */
  readonly error: FeedError<'ROW_INVALID'> | FeedError<'CELL_INVALID'>
  /** The row, or the object. A row keeps the memory of its batch: see `Row.detach`. */
  readonly row: E
}

/**
 * The options of {@link Pipeline.validate}.
 *
 * @typeParam E what is validated: rows, or objects
 * @example
 * ```ts
 * import { pipeline, type StandardSchema } from 'feedmill'
 *
 * const even: StandardSchema<number> = {
 *   '~standard': {
 *     version: 1,
 *     vendor: 'mine',
 *     validate: value =>
 *       typeof value === 'number' && value % 2 === 0 ? { value } : { issues: [{ message: 'odd' }] },
 *   },
 * }
 * const onBadRow = ({ error }: { error: Error }) => console.log(error.message)
 * console.log(await pipeline([[1, 2, 4]]).validate(even, { onBadRow }).toArray())
 * // => element 1: odd
 * // => [ 2, 4 ]
 * ```
 */
export interface ValidateOptions<E> {
  /**
   * What happens to a row that is refused, or that has a cell which cannot be read. `throw` ends the
   * stream with the error. `skip` leaves the row out and counts it. A function is called with it, and
   * then it is left out and counted; it is synchronous. A quarantine takes all bytes of the row, which
   * is then left out and counted. It needs rows with all columns of their file, from a TsvRowParser
   * without `columns`. Default: `throw`.
   */
  readonly onBadRow?:
    | 'throw'
    | 'skip'
    | ((refused: RefusedRow<E>) => NoPromise)
    | (E extends Row<infer _> ? RowQuarantine : never)
}

const OPTIONS = {
  onBadRow: [badRowPolicy, 'throw'],
} satisfies OptionTable<ValidateOptions<Row>>

/** How much of the issues an error tells. */
const MOST_ISSUES = 5
const MOST_KEYS = 8
const ISSUE_LENGTH = 160

type Issue = Extract<StandardResult<never>, { readonly issues: object }>['issues'][number]

export class ValidateRows<T, Out> extends Stage<T, Out[]> {
  readonly #schema: StandardSchema<Out>
  readonly #onBadRow: NonNullable<ValidateOptions<Row>['onBadRow']>
  readonly #quarantine: RowQuarantine | undefined
  /** The number of the element that is judged. */
  #number = 0

  /** @throws FeedError OPTION_INVALID */
  constructor(schema: StandardSchema<Out>, options: ValidateOptions<ElementOf<T>> = {}) {
    super('validate')
    this.#schema = standardSchema(schema)
    this.#onBadRow = readOptions(options as ValidateOptions<Row>, OPTIONS).onBadRow
    if (typeof this.#onBadRow !== 'object') return
    this.#quarantine = this.#onBadRow
    this.writes = [this.#quarantine]
  }

  protected override transform(item: T): Outputs<Out[]> {
    const kept: Out[] = []
    const judged = new InOrder(elementsOf(item), element => this.#judge(element, kept))
    return judged.before(kept, () => this.destroyed)
  }

  /** A run waits for this before its sink commits. */
  protected override release(): Promise<void> | undefined {
    return this.#quarantine?.flush()
  }

  #judge(element: unknown, kept: Out[]): Promise<void> | undefined {
    this.#number++
    if (this.#quarantine) refuseParts('onBadRow', !isRow(element) || element.batch.isProjected)
    let value = element
    try {
      if (isRow(element)) value = element.toObject()
    } catch (error) {
      if (isBadCell(error)) return this.#leaveOut(element, () => error)
      throw error
    }
    try {
      const result = this.#schema['~standard'].validate(value)
      if (!isPromise(result)) return this.#use(result, element, kept)
      return Promise.resolve(result)
        .then(settled => this.#use(settled, element, kept))
        .catch(error => this.#fail(error, element))
    } catch (error) {
      return this.#fail(error, element)
    }
  }

  #use(result: StandardResult<Out>, element: unknown, kept: Out[]): Promise<void> | undefined {
    // What a run that has ended leaves out would come behind the last write of the quarantine.
    if (this.destroyed) return undefined
    if (result.issues) return this.#leaveOut(element, () => this.#invalid(result.issues, element))
    kept.push(result.value)
    return undefined
  }

  #leaveOut(element: unknown, error: () => RefusedRow<Row>['error']): Promise<void> | undefined {
    if (this.#onBadRow === 'throw') throw error()
    if (typeof this.#onBadRow === 'function')
      noPromise('onBadRow', this.#onBadRow({ error: error(), row: element as Row }))
    this.counters.rowsLeftOut++
    this.#quarantine?.take(leftOutRow(element as Row, error()))
    return this.#quarantine?.settle()
  }

  #invalid(issues: readonly Issue[], element: unknown): FeedError<'ROW_INVALID'> {
    const { where, position } = this.#placed(element)
    const told = [...issues].slice(0, MOST_ISSUES).map(textOf)
    if (issues.length > told.length) told.push(`${issues.length - told.length} more issues`)
    const reason = told.join('; ')
    const [column] = issues.length > 0 ? keysOf(issues[0]!) : []
    return new FeedError('ROW_INVALID', `${where}: ${reason}`, {
      ...position,
      ...(isRow(element) && { excerpt: rowExcerpt(element.batch.bytesOf(element.slot)) }),
      ...(typeof column === 'string' && { column: excerpt(column) }),
      reason,
    })
  }

  #fail(error: unknown, element: unknown): never {
    if (FeedError.is(error)) throw error
    const { where, position } = this.#placed(element)
    const message = `${this.name}: ${where}: ${messageOf(error)}`
    throw new FeedError(
      'STAGE_FAILED',
      message,
      { ...position, stage: this.name },
      { cause: error },
    )
  }

  #placed(element: unknown): { readonly where: string; readonly position?: RowPosition } {
    if (!isRow(element)) return { where: `element ${this.#number}` }
    const { position } = element
    return { where: placeText(position), position }
  }
}

/** Some libraries make their schemas as functions. */
function standardSchema<S extends StandardSchema>(schema: S): S {
  const { version, validate } = (Object(schema) as Partial<S>)['~standard'] ?? {}
  if (version === 1 && typeof validate === 'function') return schema
  const expected = 'a schema with the property ~standard of Standard Schema, version 1'
  throw optionInvalid('schema', expected, schema)
}

function textOf(issue: Issue): string {
  const path = keysOf(issue).map(String).join('.')
  return excerpt(path === '' ? issue.message : `${path}: ${issue.message}`, ISSUE_LENGTH)
}

function keysOf({ path = [] }: Issue): PropertyKey[] {
  return [...path].slice(0, MOST_KEYS).map(part => (typeof part === 'object' ? part.key : part))
}
