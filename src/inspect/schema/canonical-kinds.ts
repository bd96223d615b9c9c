// The kinds that a schema of a file may have for its columns, and when a text is one of a kind: the
// decoder of the kind takes it, and writing the value again gives the same text.

import type { CellType, ColumnSpec } from '../../engine/index'
import { decoderOf, excerpt, isBadCell } from '../../engine/index'

export interface CanonicalKind {
  readonly type: CellType
  readonly bit: number
  /** The bits of other kinds that take every text that this kind takes. */
  readonly covers: number
  /** Says why the text is none of the kind; undefined where it is one. */
  refusal(text: string): string | undefined
}

/** The bit of each kind, for sets of kinds. */
export const BITS = {
  boolean: 1,
  int32: 2,
  int64: 4,
  decimal: 8,
  float64: 16,
  date: 32,
  timestamp: 64,
  json: 128,
} as const
export const ALL_KINDS = 255

/** In the order in which a column takes them: the first one that no cell contradicts. */
export const CANONICAL_KINDS: readonly CanonicalKind[] = [
  kind('boolean', String),
  kind('int32', String, BITS.int64 | BITS.decimal | BITS.float64),
  kind('int64', String, BITS.decimal),
  // A decimal keeps its text, but databases and columns write it without these.
  kind('decimal', (_, text) => withoutZeros(text)),
  kind('float64', String),
  kind('date', String),
  kind('timestamp', value => (value as Date).toISOString()),
  kind('json', containerText),
]

const NUMBERS: readonly CellType[] = ['int32', 'int64', 'decimal', 'float64']

/** Returns the kinds that take less than a column of this kind does. */
export function narrowerThan(type: CellType): readonly CellType[] {
  if (type === 'text') return CANONICAL_KINDS.map(narrower => narrower.type)
  return NUMBERS.slice(0, Math.max(0, NUMBERS.indexOf(type)))
}

/** @param written returns the text of a value, or undefined where the kind does not take it */
function kind(
  type: keyof typeof BITS,
  written: (value: unknown, text: string) => string | undefined,
  covers = 0,
): CanonicalKind {
  const { decode } = decoderOf({ type } as ColumnSpec)
  const refusal = (text: string) => {
    try {
      const again = written(decode(text), text)
      if (again === text) return undefined
      return again === undefined
        ? 'neither an object nor an array'
        : `written again it is ${JSON.stringify(excerpt(again))}`
    } catch (error) {
      if (isBadCell(error)) return error.context.reason
      // JSON.parse takes deeper values than JSON.stringify.
      if (error instanceof RangeError) return 'too deep to be written again'
      throw error
    }
  }
  return { type, bit: BITS[type], covers, refusal }
}

function withoutZeros(text: string): string {
  return text.replace(/^(-?)0+(?=[0-9])/, '$1').replace(/^-(?=0(?:\.0+)?$)/, '')
}

/** A text or a number alone is JSON too, but its column is better read as that kind. */
function containerText(value: unknown): string | undefined {
  return typeof value === 'object' && value !== null ? JSON.stringify(value) : undefined
}
