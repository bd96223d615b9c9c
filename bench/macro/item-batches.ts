// How this package's cases read the file: as the README shows it.

import { Gunzip, type ItemColumns, itemSchema, type Pipeline, pipeline, type RowBatch, TsvRowParser } from '../../src/index'
import { fileBytes } from './macro-case'

export function itemBatches(path: string): Pipeline<RowBatch<ItemColumns>> {
  return pipeline<Uint8Array>(fileBytes(path))
    .to(new Gunzip())
    .to(new TsvRowParser({ schema: itemSchema }))
}
