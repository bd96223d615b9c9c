// The inputs of the micro cases: the first block of the measured item feed, and cells of it.

import { TsvParser } from '../../src/engine/codec/tsv/parser'
import { itemSchema } from '../../src/engine/schema/feed-schemas'
import { repeating } from '../shapes/repeating'

/** Enough for several blocks. */
const SAMPLE_ITEMS = 2_000

function firstBlock(): Uint8Array {
  for (const block of repeating.content(1, SAMPLE_ITEMS)) return block
  throw new Error('the sample is empty')
}

/** About 256 KiB of whole lines, the header first. */
export const sampleBytes = firstBlock()

/** Batches of the sample. */
export const parseSample = () => {
  const parser = new TsvParser({
    schema: itemSchema,
    file: { feed: 'item', lastModified: new Date(0) },
  })
  return [...parser.push(sampleBytes), ...parser.end()]
}

export const sampleBatches = parseSample()

export const sampleRows = sampleBatches.flatMap(batch => [...batch])

/** The filled cells of one column, as text. */
export function sampleCells(column: string): string[] {
  return sampleRows.map(row => row.text(column)).filter(cell => cell !== '')
}
