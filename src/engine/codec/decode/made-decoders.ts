// The decoders of the kinds that have parameters: oneOf, list and cell. cell-decoders.ts has those
// of the other kinds, and gives each column its decoder.

import { excerpt, FeedError } from '../../errors'
import { noPromise, show } from '../../options'
import type { ColumnSpec } from '../../schema/column-spec'
import type { CellType } from '../../schema/values'
import type { CellDecoder } from './cell-decoder'
import { invalidCell } from './invalid-cell'
import { decodeList } from './list'
import { sharedReader } from './shared-cells'

export const EMPTY_LIST: readonly never[] = Object.freeze([])
/** A feed has a handful of delivery options and some hundred categories. A table has 128 KiB. */
const LISTS = { entryBits: 10, maxKeyBytes: 128 }
/** Lists of these values are each row's own: a Date can be changed, and a caller's value too. */
const OWN_VALUES: readonly CellType[] = ['timestamp', 'cell']

const byText = () => undefined

export function oneOfDecoder({ values = [] }: ColumnSpec): CellDecoder<string | null> {
  // The values of the map are strings of the schema, which pin no text of the file.
  const known = new Map(values.map(value => [value, value]))
  const expected = `not one of ${excerpt(values.join(', '))}`
  const decode = (text: string) => {
    const value = known.get(text)
    if (value === undefined) throw invalidCell('oneOf', expected, text)
    return value
  }
  return { empty: null, decode, read: byText }
}

/** @param elementOf returns the decoder of the list's values */
export function listDecoder(
  { separator = '', element }: ColumnSpec,
  elementOf: (spec: ColumnSpec) => CellDecoder,
): CellDecoder<readonly unknown[]> {
  const values = element === undefined || element.type === 'text' ? undefined : elementOf(element)
  const decode = (text: string) => {
    const texts = decodeList(text, separator)
    return Object.freeze(values === undefined ? texts : texts.map(value => values.decode(value)))
  }
  const isOwn = element !== undefined && OWN_VALUES.includes(element.type)
  return { empty: EMPTY_LIST, decode, read: isOwn ? byText : sharedReader(LISTS, decode) }
}

/** The decoder of a function of the caller. */
export function callersDecoder(spec: ColumnSpec): CellDecoder {
  const { decode: callersDecode, empty = null } = spec
  const decode = (text: string) => {
    try {
      return noPromise('cell', callersDecode?.(text))
    } catch (cause) {
      if (FeedError.is(cause)) throw cause
      const thrown = excerpt(cause instanceof Error ? cause.message : show(cause))
      throw invalidCell('cell', `the schema's function threw: ${thrown}`, text, cause)
    }
  }
  return { empty, decode, read: byText }
}
