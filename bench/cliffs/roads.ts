// Makes the bytes of a side of a kind, and reads them by each road.

import { measured } from '../../src/bench/bench-run'
import {
  ColumnDecoder,
  csvSink,
  defineSchema,
  ndjsonSink,
  pipeline,
  type RowBatch,
  type Sink,
  TsvColumnParser,
  TsvObjectParser,
  TsvRowParser,
} from '../../src/index'
import { Draws } from '../shapes/draws'
import { tsvBlocks } from '../shapes/tsv-blocks'
import { NO_UTF8, type Road, type Side } from './kinds'

/** As a file source reads them. */
const BLOCK_BYTES = 256 * 1024
const SEED = 1
const NOT_IN_UTF8 = 0xff

export interface CliffFile {
  readonly blocks: readonly Uint8Array[]
  readonly bytes: number
  readonly rows: number
}

/** About so many 10^6 bytes. */
export function cliffFile({ columns, rows }: Side, megabytes: number): CliffFile {
  let count = 0
  let bytes = 0
  const blocks: Uint8Array[] = []
  function* counted() {
    for (const row of rows(new Draws(SEED))) {
      count++
      bytes += row.join('\t').length
      yield row
      if (bytes > megabytes * 1e6) return
    }
  }
  const content = Buffer.concat([...tsvBlocks(Object.keys(columns), counted(), new Set())])
  const mark = NO_UTF8.charCodeAt(0)
  for (let at = content.indexOf(mark); at >= 0; at = content.indexOf(mark, at))
    content[at] = NOT_IN_UTF8
  for (let at = 0; at < content.length; at += BLOCK_BYTES)
    blocks.push(content.subarray(at, at + BLOCK_BYTES))
  return { blocks, bytes: content.length, rows: count }
}

/** What a way through the file gave. */
interface Passed {
  readonly rows: number
  readonly badCells: number
  readonly badRows: number
}

/** Reads the file once. */
export async function pass(road: Road, side: Side, { blocks }: CliffFile): Promise<Passed> {
  const schema = defineSchema({ name: 'cliffs', columns: side.columns })
  let badRows = 0
  const onBadRow = side.leavesOutRows ? () => void badRows++ : ('throw' as const)
  const onBadCell = side.onBadCell ?? 'throw'
  const source = pipeline(blocks)
  let rows = 0
  if (road === 'columns') {
    const parser = new TsvColumnParser({ schema, onBadRow, onBadCell })
    for await (const batch of source.to(parser).batches()) {
      for (const column of batch.columns) void column.data
      rows += batch.length
    }
    return { rows, badCells: parser.badCells, badRows }
  }
  if (road === 'objects') {
    const parser = new TsvObjectParser({ schema, onBadRow, onBadCell })
    for await (const objects of source.to(parser).batches()) rows += objects.length
    return { rows, badCells: parser.badCells, badRows }
  }
  const sink = (road === 'csv' ? csvSink('/dev/null') : ndjsonSink('/dev/null')) as Sink<RowBatch>
  const batches = source.to(new TsvRowParser({ schema, onBadRow }))
  const decoder = side.onBadCell && new ColumnDecoder({ onBadCell })
  const { stages } = await (decoder ? batches.to(decoder) : batches).run(sink)
  return { rows: stages.at(-1)!.rowsOut, badCells: decoder?.badCells ?? 0, badRows }
}

/**
 * The processor time of one reading, behind one that warms up.
 * @param leastMs reads on until it has measured for so long
 */
export async function msOf(
  road: Road,
  side: Side,
  file: CliffFile,
  leastMs: number,
): Promise<number> {
  await pass(road, side, file)
  let ms = 0
  let passes = 0
  while (ms < leastMs) {
    ms += (await measured(() => pass(road, side, file))).figures.cpuMs
    passes++
  }
  return ms / passes
}
