// How the WebAssembly module src/engine/wasm/columns.ts decodes the columns of a kind.

import type { ColumnSpec } from '../../schema/column-spec'
import type { ArrowType } from './arrow-type'

/** The kinds of columns that the module decodes, as kinds.ts of the module names them. */
const KINDS = {
  text: 'TEXT_CELL',
  int32: 'INT32',
  int64: 'INT64',
  decimal: 'DECIMAL',
  boolean: 'BOOLEAN',
  date: 'DAY',
  timestamp: 'TIME',
  oneOf: 'CHOICE',
  list: 'LIST',
  regions: 'REGIONS',
  aspects: 'ASPECTS',
  conditionDescriptors: 'DESCRIPTORS',
} as const satisfies { readonly [T in ColumnSpec['type']]?: string }

/** A kind of cells or of values in text. */
export type CellKind = (typeof KINDS)[keyof typeof KINDS] | 'MADE' | 'LIST_AS_ARRAY' | 'ANY_DECIMAL'
export type CellKinds = { readonly [T in ColumnSpec['type']]?: CellKind }

/** How the module decodes a column. */
export interface Kernel {
  readonly kind: CellKind
  /** True where the texts of good cells stay as they are. */
  readonly asText?: boolean
  readonly parameter: number
  /** True where an empty cell is a bad one. */
  readonly notNull: boolean
  /** The texts of a `oneOf` column. */
  readonly words?: Uint8Array
}

/** Returns how the module decodes a column; undefined where only the plain way does. */
export function kernelOf(
  { type, element, separator = '', notNull = false }: ColumnSpec,
  arrow: ArrowType,
): Kernel | undefined {
  const kind = (KINDS as CellKinds)[type]
  // An empty list is no null, so only the plain way knows it as an empty cell.
  if (kind === undefined || (arrow.kind === 'list' && notNull)) return undefined
  if (arrow.kind === 'decimal') return { kind, parameter: arrow.scale, notNull }
  if (arrow.kind === 'dictionary') {
    // The module compares bytes, and in quotes these bytes may be an escape.
    if (arrow.values.some(value => /["\\]/.test(value))) return undefined
    const words = Buffer.concat(arrow.values.map(wordOf))
    return { kind, parameter: arrow.values.length, words, notNull }
  }
  if (type !== 'list') return { kind, parameter: 0, notNull }
  const isPlain = element === undefined || element.type === 'text'
  const byte = separator.charCodeAt(0)
  return isPlain && separator.length === 1 && byte > 0x20 && byte < 0x80
    ? { kind, parameter: byte, notNull }
    : undefined
}

function wordOf(text: string): Buffer {
  const length = Buffer.byteLength(text)
  const word = Buffer.alloc(4 + 4 * Math.ceil(length / 4))
  word.writeUInt32LE(length)
  word.write(text, 4)
  return word
}
