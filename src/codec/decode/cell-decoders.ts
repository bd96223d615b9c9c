// How each kind of column is read from text: one entry for each name in schema/values.ts CellTypes.
// What is shared by all cells (escapes, positions, empty cells) belongs to the row.

import type { CellType, CellTypes } from '../../schema/values'
import { decodeAspects } from './aspects'
import { decodeBoolean } from './boolean'
import { decodeConditionDescriptors } from './condition-descriptors'
import { decodeDecimal } from './decimal'
import { decodeInt32 } from './int32'
import { decodeCommaList, decodePipeList } from './list'
import { decodeRegions } from './regions'
import { decodeTimestamp } from './timestamp'

export interface CellDecoder<T extends CellType> {
  /** What an empty cell, or a column that the file lacks, reads as. Shared by all rows and frozen. */
  readonly empty: CellTypes[T]
  /** `text` is not empty; quotes and escapes are undone. @throws FeedError CELL_INVALID without a position */
  decode(text: string): CellTypes[T]
}

const EMPTY_LIST: readonly never[] = Object.freeze([])

export const cellDecoders: { readonly [T in CellType]: CellDecoder<T> } = {
  text: { empty: null, decode: text => text },
  int32: { empty: null, decode: decodeInt32 },
  decimal: { empty: null, decode: decodeDecimal },
  boolean: { empty: null, decode: decodeBoolean },
  timestamp: { empty: null, decode: decodeTimestamp },
  commaList: { empty: EMPTY_LIST, decode: decodeCommaList },
  pipeList: { empty: EMPTY_LIST, decode: decodePipeList },
  aspects: { empty: EMPTY_LIST, decode: decodeAspects },
  conditionDescriptors: { empty: EMPTY_LIST, decode: decodeConditionDescriptors },
  regions: { empty: null, decode: decodeRegions },
}
