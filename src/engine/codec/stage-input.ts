// Checks the inputs of stages: blocks of bytes, Node's Buffers among them, and rows. A stage makes
// the check once for each block or batch, never for each byte or row. Batches are recognised by
// shape, because two copies of the package may meet in one process.

import { inputInvalid } from '../core/input-invalid'

const EXPECTED = 'blocks of bytes (Uint8Array or Buffer)'

/**
 * Returns `block` if it is a Uint8Array, of any realm. Other typed arrays are refused because
 * reading them would cut each element to a byte, and text because it has no bytes until a caller
 * encodes it.
 * @throws FeedError STAGE_INPUT_INVALID
 */
export function byteBlock(stage: string, block: unknown): Uint8Array {
  if (block instanceof Uint8Array || nameOfBuffer(block) === 'Uint8Array')
    return block as Uint8Array
  throw inputInvalid(stage, EXPECTED, block, adviceFor(block))
}

/** Returns the name of a kind of binary data, such as `DataView`; undefined for anything else. */
function nameOfBuffer(value: unknown): string | undefined {
  if (typeof value !== 'object' || value === null) return undefined
  const name = Object.prototype.toString.call(value).slice('[object '.length, -1)
  return ArrayBuffer.isView(value) || name === 'ArrayBuffer' || name === 'SharedArrayBuffer'
    ? name
    : undefined
}

function adviceFor(value: unknown): string | undefined {
  if (typeof value === 'string')
    return 'read the file without an encoding, or encode the text with Buffer.from(text)'
  if (ArrayBuffer.isView(value))
    return 'give new Uint8Array(block.buffer, block.byteOffset, block.byteLength)'
  if (nameOfBuffer(value) !== undefined) return 'give new Uint8Array(block)'
  return undefined
}

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
