// The one place that makes a decoder of a column. It has an entry for each name in schema/values.ts
// CellTypes, and calls made-decoders.ts for the kinds with parameters. `decode` reads text and
// decides whether a cell is good; `read` is the quick way, straight from the file's bytes.
// row-cells.ts gives empty cells their empty value, and row.ts adds the position to an error.

import type { ColumnSpec } from '../../schema/column-spec'
import type { CellTypes, Regions } from '../../schema/values'
import { aspectReader } from './aspect-reader'
import { arePairs, decodeAspects } from './aspects'
import { decodeBoolean, readBoolean } from './boolean'
import type { CellDecoder } from './cell-decoder'
import { decodeConditionDescriptors } from './condition-descriptors'
import { decodeDate } from './date'
import { decodeDecimal, isDecimal, readDecimal } from './decimal'
import { decodeFloat64 } from './float64'
import { decodeInt32, readInt32 } from './int32'
import { decodeInt64, readInt64 } from './int64'
import { decodeJson } from './json'
import { callersDecoder, EMPTY_LIST, listDecoder, oneOfDecoder } from './made-decoders'
import { decodeRegions } from './regions'
import { sharedReader } from './shared-cells'
import { decodeTimestamp, readTimestamp } from './timestamp'

/** Sellers repeat their lists, which have up to some 700 bytes. The table has 0.5 MiB. */
const REGIONS = { entryBits: 9, maxKeyBytes: 1024 }
const readAspects = aspectReader()

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
    isPlain: ({ view }, start, end) => isDecimal(view, start, end),
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
    isPlain: ({ bytes }, start, end) => arePairs(bytes, start, end),
  },
  conditionDescriptors: {
    empty: EMPTY_LIST,
    decode: decodeConditionDescriptors,
    read: () => undefined,
  },
  regions: {
    empty: null,
    decode: decodeRegions,
    read: sharedReader(REGIONS, text => frozenRegions(decodeRegions(text))),
  },
}

/** The decoders of columns that have parameters, with their tables. */
const madeDecoders = new WeakMap<ColumnSpec, CellDecoder>()

/** Returns the decoder of a column, always the same one. */
export function decoderOf(spec: ColumnSpec): CellDecoder {
  const { type } = spec
  if (type !== 'oneOf' && type !== 'list' && type !== 'cell') return cellDecoders[type]
  let made = madeDecoders.get(spec)
  if (made === undefined) madeDecoders.set(spec, (made = madeDecoder(type, spec)))
  return made
}

function madeDecoder(type: 'oneOf' | 'list' | 'cell', spec: ColumnSpec): CellDecoder {
  if (type === 'oneOf') return oneOfDecoder(spec)
  return type === 'list' ? listDecoder(spec, decoderOf) : callersDecoder(spec)
}

function frozenRegions({ countries, regions }: Regions): Regions {
  return Object.freeze({ countries: Object.freeze(countries), regions: Object.freeze(regions) })
}
