// How this package's cases read the file: as the README shows it.

import {
  type ChosenColumns,
  FileSource,
  Gunzip,
  type ItemColumns,
  itemSchema,
  type Pipeline,
  pipeline,
  type RowBatch,
  TsvRowParser,
} from '../../src/index'
import { READ_BYTES } from './macro-case'

/** @param columns all when absent */
export function itemBatches<const N extends keyof ItemColumns = keyof ItemColumns>(
  path: string,
  columns?: readonly N[],
): Pipeline<RowBatch<ChosenColumns<ItemColumns, N>>> {
  return pipeline(new FileSource(path, { blockBytes: READ_BYTES }))
    .to(new Gunzip())
    .to(new TsvRowParser({ schema: itemSchema, ...(columns && { columns }) }))
}
