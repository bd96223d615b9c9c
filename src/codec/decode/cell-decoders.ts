// The decoders of all cell types: one entry for each name in schema/values.ts CellTypes. `decode`
// reads text and decides whether a cell is good; `read` is the quick way, straight from the file's
// bytes. row-cells.ts gives empty cells their empty value, and row.ts adds the position to an
// error.

import type { CellType, CellTypes, Regions } from '../../schema/values'
import { aspectReader } from './aspect-reader'
import { decodeAspects } from './aspects'
import { decodeBoolean, readBoolean } from './boolean'
import type { CellSource } from './cell-source'
import { decodeConditionDescriptors } from './condition-descriptors'
import { decodeDecimal, readDecimal } from './decimal'
import { decodeInt32, readInt32 } from './int32'
import { decodeCommaList, decodePipeList } from './list'
import { decodeRegions } from './regions'
import { sharedReader } from './shared-cells'
import { decodeTimestamp, readTimestamp } from './timestamp'

export interface CellDecoder<T extends CellType> {
  /**
   * The value of an empty cell, and of a column that the file lacks. It is frozen, and all rows
   * share it.
   */
  readonly empty: CellTypes[T]
  /**
   * Decodes a text that is not empty, without quotes and escapes.
   * @throws FeedError CELL_INVALID without a position
   */
  decode(text: string): CellTypes[T]
  /**
   * Reads the bytes of a cell, at least one, perhaps only two quotes. `slot` is the place of the
   * row in its batch. It returns undefined
   * where the bytes are not plainly good, and then `decode` decides. So the two can differ in speed
   * only.
   * @throws FeedError CELL_INVALID without a position
   */
  read(source: CellSource, slot: number, start: number, end: number): CellTypes[T] | undefined
}

const EMPTY_LIST: readonly never[] = Object.freeze([])
/** A feed has a handful of delivery options and some hundred categories. A table has 128 KiB. */
const LISTS = { entryBits: 10, maxKeyBytes: 128 }
/** Sellers repeat their lists, which have up to some 700 bytes. The table has 0.5 MiB. */
const REGIONS = { entryBits: 9, maxKeyBytes: 1024 }
const readAspects = aspectReader()

export const cellDecoders: { readonly [T in CellType]: CellDecoder<T> } = {
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
  decimal: { empty: null, decode: decodeDecimal, read: readDecimal },
  boolean: {
    empty: null,
    decode: decodeBoolean,
    read: ({ view }, _, start, end) => readBoolean(view, start, end),
  },
  timestamp: {
    empty: null,
    decode: decodeTimestamp,
    read: ({ view }, _, start, end) => readTimestamp(view, start, end),
  },
  commaList: {
    empty: EMPTY_LIST,
    decode: decodeCommaList,
    read: sharedReader(LISTS, text => Object.freeze(decodeCommaList(text))),
  },
  pipeList: {
    empty: EMPTY_LIST,
    decode: decodePipeList,
    read: sharedReader(LISTS, text => Object.freeze(decodePipeList(text))),
  },
  aspects: {
    empty: EMPTY_LIST,
    decode: decodeAspects,
    read: (source, _, start, end) => readAspects(source, start, end),
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

function frozenRegions({ countries, regions }: Regions): Regions {
  return Object.freeze({ countries: Object.freeze(countries), regions: Object.freeze(regions) })
}
