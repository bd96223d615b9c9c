// The one place that makes a decoder of a column. It has an entry for each name in schema/values.ts
// CellTypes, and a function for each kind with parameters: a decimal with a scale, oneOf, list and
// cell. `decode` reads text and decides whether a cell is good; `read` is the quick way, straight
// from the file's bytes. row-cells.ts gives empty cells their empty value, and row-batch.ts adds the
// position to an error.

import { excerpt, FeedError } from '../../errors'
import { noPromise, show } from '../../options'
import type { ColumnSpec } from '../../schema/column-spec'
import type { CellType, CellTypes, Regions } from '../../schema/values'
import {
  decodeAspects,
  decodeConditionDescriptors,
  readAspects,
  readConditionDescriptors,
} from './aspects'
import { type CellDecoder, invalidCell } from './cell-decoder'
import { decodeList, decodeRegions } from './lists'
import {
  decodeDecimal,
  decodeFloat64,
  decodeInt32,
  decodeInt64,
  inScale,
  readDecimal,
  readInt32,
  readInt64,
} from './numbers'
import { regionReader } from './region-reader'
import {
  decodeBoolean,
  decodeDate,
  decodeJson,
  decodeTimestamp,
  readBoolean,
  readTimestamp,
} from './scalars'
import { sharedReader } from './shared-cells'

const EMPTY_LIST: readonly never[] = Object.freeze([])
/** A feed has a handful of delivery options and some hundred categories. A table has 128 KiB. */
const LISTS = { entryBits: 10, maxKeyBytes: 128 }
/** Lists of these values are each row's own: a Date can be changed, and a caller's value too. */
const OWN_VALUES: readonly CellType[] = ['timestamp', 'cell']

const byText = () => undefined
/** Sellers repeat their lists, which have up to some 700 bytes. The table has 0.5 MiB. */
const REGIONS = { entryBits: 9, maxKeyBytes: 1024 }

/** The decoders of the kinds without parameters. */
export const cellDecoders: { readonly [T in keyof CellTypes]: CellDecoder<CellTypes[T]> } = {
  // The bytes `""` have no text, so this cell is empty too: undefined leaves that to row-cells.ts.
  text: {
    empty: null,
    decode: text => text,
    read: (source, slot, start, end) => source.textBetween(slot, start, end) || undefined,
  },
  int32: {
    empty: null,
    decode: decodeInt32,
    read: ({ view }, _, start, end) => readInt32(view, start, end),
  },
  int64: {
    empty: null,
    decode: decodeInt64,
    read: ({ view }, _, start, end) => readInt64(view, start, end),
  },
  decimal: {
    empty: null,
    decode: decodeDecimal,
    read: readDecimal,
  },
  float64: { empty: null, decode: decodeFloat64, read: () => undefined },
  boolean: {
    empty: null,
    decode: decodeBoolean,
    read: ({ view }, _, start, end) => readBoolean(view, start, end),
  },
  date: { empty: null, decode: decodeDate, read: () => undefined },
  timestamp: {
    empty: null,
    decode: decodeTimestamp,
    read: ({ view }, _, start, end) => readTimestamp(view, start, end),
  },
  json: { empty: null, decode: decodeJson, read: () => undefined },
  aspects: {
    empty: EMPTY_LIST,
    decode: decodeAspects,
    read: (source, _, start, end) => readAspects(source, start, end),
  },
  conditionDescriptors: {
    empty: EMPTY_LIST,
    decode: decodeConditionDescriptors,
    read: (source, _, start, end) => readConditionDescriptors(source, start, end),
  },
  regions: {
    empty: null,
    decode: decodeRegions,
    read: sharedReader(REGIONS, text => frozenRegions(decodeRegions(text)), regionReader()),
  },
}

/** The decoders of columns that have parameters, with their tables. */
const madeDecoders = new WeakMap<ColumnSpec, CellDecoder>()

/** Returns the decoder of a column, always the same one. */
export function decoderOf(spec: ColumnSpec): CellDecoder {
  const { type, scale } = spec
  if (type !== 'oneOf' && type !== 'list' && type !== 'cell' && scale === undefined)
    return cellDecoders[type]
  let made = madeDecoders.get(spec)
  if (made === undefined) madeDecoders.set(spec, (made = madeDecoder(spec)))
  return made
}

function madeDecoder(spec: ColumnSpec): CellDecoder {
  if (spec.type === 'oneOf') return oneOfDecoder(spec)
  if (spec.type === 'list') return listDecoder(spec, decoderOf)
  return spec.type === 'decimal' ? scaledDecoder(spec) : callersDecoder(spec)
}

function scaledDecoder({ scale = 0 }: ColumnSpec): CellDecoder {
  return {
    empty: null,
    decode: text => inScale(decodeDecimal(text), scale),
    read(...cell) {
      const value = readDecimal(...cell)
      return value && inScale(value, scale)
    },
  }
}

function frozenRegions({ countries, regions }: Regions): Regions {
  return Object.freeze({ countries: Object.freeze(countries), regions: Object.freeze(regions) })
}

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
