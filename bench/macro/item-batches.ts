// How this package's cases read the file: as the README shows it.

import {
  type ChosenColumns,
  type ColumnBatch,
  FileSource,
  Gunzip,
  type ItemColumns,
  itemSchema,
  type Pipeline,
  pipeline,
  type RowBatch,
  TsvColumnParser,
  TsvObjectParser,
  TsvRowParser,
} from '../../src/index'
import { READ_BYTES } from './macro-case'

/** Objects with all columns, in arrays. A bad cell is null. */
export function itemObjects<const V extends 'text' | 'typed'>(path: string, values: V) {
  return inflated(path).to(new TsvObjectParser({ schema: itemSchema, values, onBadCell: 'null' }))
}

/** Columns of all cells, typed. A bad cell is null. */
export function itemColumns(path: string): Pipeline<ColumnBatch<ItemColumns>> {
  return inflated(path).to(new TsvColumnParser({ schema: itemSchema, onBadCell: 'null' }))
}

export function itemBatches(path: string): Pipeline<RowBatch<ItemColumns>> {
  return inflated(path).to(new TsvRowParser({ schema: itemSchema }))
}

/** Rows of these columns alone. */
export function itemBatchesOf<const N extends keyof ItemColumns>(
  path: string,
  columns: readonly N[],
): Pipeline<RowBatch<ChosenColumns<ItemColumns, N>>> {
  return inflated(path).to(new TsvRowParser({ schema: itemSchema, columns }))
}

/** The bytes of the file, inflated. */
export function inflated(path: string): Pipeline<Uint8Array> {
  return pipeline(new FileSource(path, READ_BYTES)).to(new Gunzip())
}
