// Row batches for tests, made by the real parser, and a stage run by hand over any inputs.

import type { RowBatch } from '../src/engine/codec/row-batch'
import { TsvParser } from '../src/engine/codec/tsv/parser'
import type { Columns, FeedFile, FeedSchema } from '../src/engine/schema/feed-schema'
import type { Stage } from '../src/engine/stages/stage'
import { tsv } from './tsv-text'

/** The batches of one file, given as cells with its header first. */
export function batchesOf<C extends Columns>(
  schema: FeedSchema<C>,
  file: FeedFile,
  lines: readonly (readonly string[])[],
): RowBatch<C>[] {
  const parser = new TsvParser({ schema, file })
  return [...parser.push(Buffer.from(tsv(lines))), ...parser.end()]
}

/** The same rows in batches of at most `rows`. */
export function cutBatches<C extends Columns>(
  batches: readonly RowBatch<C>[],
  rows: number,
): RowBatch<C>[] {
  return batches.flatMap(batch =>
    Array.from({ length: Math.ceil(batch.length / rows) }, (_, n) => {
      let at = 0
      return batch.select(() => Math.floor(at++ / rows) === n)
    }),
  )
}

/** All outputs of a stage. */
export async function outputsOf<In, Out>(
  stage: Stage<In, Out>,
  inputs: Iterable<In>,
): Promise<Out[]> {
  for (const input of inputs) stage.write(input)
  stage.end()
  return collect<Out>(stage)
}

/** All of an iterable. */
export async function collect<T>(values: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = []
  for await (const value of values) all.push(value)
  return all
}
