// Checks the inputs of stages over rows. A stage makes the check once for each batch, never for each
// row. Batches are recognised by shape, because two copies of the package may meet in one process.

import { inputInvalid } from '../core/input-invalid'

const BATCHES = 'batches of rows (RowBatch, as TsvRowParser gives them)'
const ROWS = 'batches or arrays of rows'

/** Returns `batch` if it is a batch of rows. @throws FeedError STAGE_INPUT_INVALID */
export function rowBatch<B extends object>(stage: string, batch: B): B {
  const { header, row, length } = (batch ?? {}) as Record<string, unknown>
  if (typeof header === 'object' && typeof row === 'function' && typeof length === 'number')
    return batch
  throw inputInvalid(stage, BATCHES, batch)
}

/**
 * Returns `items` if it is an iterable of elements, of rows where `areRows` says that the elements
 * must be rows. Only the first element is looked at. @throws FeedError STAGE_INPUT_INVALID
 */
export function rowsInput<I extends Iterable<unknown>>(
  stage: string,
  items: I,
  areRows: boolean,
): I {
  if (typeof items !== 'object' || items === null || !(Symbol.iterator in items))
    throw inputInvalid(stage, ROWS, items)
  // Bytes and a single row are iterable too.
  if (ArrayBuffer.isView(items) || isRow(items)) throw inputInvalid(stage, ROWS, items)
  if (!areRows || !Array.isArray(items) || items.length === 0 || isRow(items[0])) return items
  throw inputInvalid(stage, ROWS, items[0], 'the option `row` says which row an element has')
}

function isRow(element: unknown): boolean {
  return typeof (element as { text?: unknown } | null | undefined)?.text === 'function'
}
