// How this package's cases read the file: as the README shows it.

import {
  type ChosenColumns,
  Gunzip,
  type ItemColumns,
  itemSchema,
  type Pipeline,
  pipeline,
  type RowBatch,
  TsvRowParser,
} from '../../src/index'
import { fileBytes } from './macro-case'

/** @param columns all when absent */
export function itemBatches<const N extends keyof ItemColumns = keyof ItemColumns>(
  path: string,
  columns?: readonly N[],
): Pipeline<RowBatch<ChosenColumns<ItemColumns, N>>> {
  return pipeline<Uint8Array>(fileBytes(path))
    .to(new Gunzip())
    .to(new TsvRowParser({ schema: itemSchema, ...(columns && { columns }) }))
}
