// How the WebAssembly module src/engine/wasm/columns.ts decodes the columns of a kind.

import type { ColumnSpec } from '../../schema/column-spec'
import type { ArrowType } from './arrow-type'

/** How the module decodes a column. */
export interface Kernel {
  /** The number of the kind in `run` of the module. */
  readonly id: number
  readonly parameter: number
  /** True where an empty cell is a bad one. */
  readonly notNull: boolean
  /** The texts of a `oneOf` column. */
  readonly words?: Uint8Array
}

const KERNELS: { readonly [T in ColumnSpec['type']]?: number } = {
  text: 1,
  int32: 2,
  int64: 3,
  decimal: 4,
  boolean: 5,
  date: 6,
  timestamp: 7,
  oneOf: 8,
  list: 9,
  regions: 10,
  aspects: 11,
  conditionDescriptors: 12,
}

/** Returns how the module decodes a column; undefined where only the plain way does. */
export function kernelOf(
  { type, element, separator = '', notNull = false }: ColumnSpec,
  arrow: ArrowType,
): Kernel | undefined {
  const id = KERNELS[type]
  // An empty list is no null, so only the plain way knows it as an empty cell.
  if (id === undefined || (arrow.kind === 'list' && notNull)) return undefined
  if (arrow.kind === 'decimal') return { id, parameter: arrow.scale, notNull }
  if (arrow.kind === 'dictionary') {
    // The module compares bytes, and in quotes these bytes may be an escape.
    if (arrow.values.some(value => /["\\]/.test(value))) return undefined
    const words = Buffer.concat(arrow.values.map(wordOf))
    return { id, parameter: arrow.values.length, words, notNull }
  }
  if (type !== 'list') return { id, parameter: 0, notNull }
  const isPlain = element === undefined || element.type === 'text'
  const byte = separator.charCodeAt(0)
  return isPlain && separator.length === 1 && byte > 0x20 && byte < 0x80
    ? { id, parameter: byte, notNull }
    : undefined
}

function wordOf(text: string): Buffer {
  const length = Buffer.byteLength(text)
  const word = Buffer.alloc(4 + 4 * Math.ceil(length / 4))
  word.writeUInt32LE(length)
  word.write(text, 4)
  return word
}
