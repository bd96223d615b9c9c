// How this package's cases read the file: as the README shows it.

import { FileSource, Gunzip, type ItemColumns, itemSchema, type Pipeline, pipeline, type RowBatch, TsvRowParser } from '../../src/index'
import { READ_BYTES } from './macro-case'

export function itemBatches(path: string): Pipeline<RowBatch<ItemColumns>> {
  return pipeline(new FileSource(path, { blockBytes: READ_BYTES }))
    .to(new Gunzip())
    .to(new TsvRowParser({ schema: itemSchema }))
}
