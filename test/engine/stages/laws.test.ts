// Every stage under the laws of laws.ts.
// Long: its properties run every stage.

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { afterAll, vi } from 'vitest'
import type { ColumnBatch } from '../../../src/engine/codec/columns/column-batch'
import type { NewInflateEngine } from '../../../src/engine/codec/gzip/inflate-engine'
import type { Piece } from '../../../src/engine/codec/range/reorder-buffer'
import type { Row, RowBatch } from '../../../src/engine/codec/row-batch'
import type { ErrorCode } from '../../../src/engine/errors'
import { MapAsyncRows } from '../../../src/engine/pipeline/map-async'
import {
  BatchRows,
  FilterRows,
  MapRows,
  TakeRows,
  TapRows,
} from '../../../src/engine/pipeline/row-stages'
import { ValidateRows } from '../../../src/engine/pipeline/validate'
import type { Columns, RowObject } from '../../../src/engine/schema/feed-schema'
import {
  type ItemColumns,
  type ItemGroupColumns,
  itemGroupSchema,
  itemSchema,
  itemSnapshotSchema,
} from '../../../src/engine/schema/feed-schemas'
import { ChunkReassembler } from '../../../src/engine/stages/chunk-reassembler'
import { ColumnDecoder } from '../../../src/engine/stages/column-decoder'
import { Decompress } from '../../../src/engine/stages/decompress'
import { FileSource } from '../../../src/engine/stages/file-source'
import { Gunzip } from '../../../src/engine/stages/gunzip'
import { RangeFetcher } from '../../../src/engine/stages/range/range-fetcher'
import type { Stage } from '../../../src/engine/stages/stage'
import { TsvColumnParser } from '../../../src/engine/stages/tsv-column-parser'
import { TsvObjectParser } from '../../../src/engine/stages/tsv-object-parser'
import { TsvRowParser } from '../../../src/engine/stages/tsv-row-parser'
import { GroupJoiner } from '../../../src/state/group-joiner'
import type { JoinedGroup, JoinedItem } from '../../../src/state/join/joined'
import type { MergeChange } from '../../../src/state/merge/merged-item'
import { SnapshotMerger } from '../../../src/state/snapshot-merger'
import { batchesOf, cutBatches } from '../../rows-from-text'
import { hasZstd, zstd } from '../../zstd'
import { buildZip } from '../codec/unpack/build-zip'
import { Composed } from './composed'
import { describeLaws, type StageUnderLaw } from './laws'
import { OverlappedInflate } from './overlapped-inflate'
import { ScriptedTransport } from './scripted-transport'

const engines = vi.hoisted(() => ({ make: undefined as NewInflateEngine | undefined }))
vi.mock('../../../src/engine/stages/parallel-inflate', async original => ({
  ...(await original<object>()),
  parallelEngine: (): NewInflateEngine => startOffset => engines.make!(startOffset),
}))
engines.make = startOffset => new OverlappedInflate(startOffset)

const ROWS = 400
type ItemBatch = RowBatch<ItemColumns>
const cellsOf = (n: number) => [
  `v1|${String(n).padStart(6, '0')}|0`,
  `title "${n}" ä\t${'x'.repeat(n % 50)}`,
  n % 3 === 0 ? '' : `g${n % 7}`,
  String(n),
]
const lines = [
  ['itemId', 'title', 'primaryItemGroupId', 'estimatedAvailableQuantity'],
  ...Array.from({ length: ROWS }, (_, n) => cellsOf(n)),
]
const quoted = (cell: string) =>
  /["\t\\]/.test(cell) ? `"${cell.replace(/["\\]/g, '\\$&')}"` : cell
const text = Buffer.from(lines.map(line => `${line.map(quoted).join('\t')}\n`).join(''))
const zipped = gzipSync(text)

function cutBytes(bytes: Uint8Array, cuts: readonly number[]): Uint8Array[] {
  const places = [0, ...new Set(cuts.map(cut => cut % bytes.length)), bytes.length].sort(
    (a, b) => a - b,
  )
  return places
    .slice(1)
    .map((to, n) => bytes.slice(places[n], to))
    .filter(part => part.length > 0)
}

const joined = (blocks: readonly Uint8Array[]) => Buffer.concat(blocks).toString('latin1')
const everyPrefix = (bytes: Uint8Array, step: number) =>
  Array.from({ length: Math.ceil(bytes.length / step) }, (_, n) => bytes.subarray(0, n * step))
const inputBytes = (stage: Stage<never, unknown>) => stage.counters.bytesIn
const itemsTaken = (stage: Stage<never, unknown>) => stage.counters.itemsIn
const MIB = 1 << 20

function* repeated<T>(items: () => readonly T[]): Generator<T, void, void> {
  for (;;) yield* items()
}

describeLaws({
  name: 'RangeFetcher',
  make: cuts =>
    new RangeFetcher({
      url: 'http://feed.test/file',
      transport: new ScriptedTransport(zipped, undefined, 1 + ((cuts[0] ?? 6) % 500)),
      chunkBytes: 1 + ((cuts[1] ?? 700) % 3000),
      windowBytes: 4096,
      concurrency: 1 + ((cuts[2] ?? 2) % 4),
    }),
  content: (pieces: Piece[]) =>
    joined(pieces.sort((a, b) => a.offset - b.offset).map(piece => piece.bytes)),
  held: {
    cap: 4096 + 4 * 500,
    of: stage => (stage as RangeFetcher).heldBytes,
    endless: () => undefined,
  },
  empty: 'end',
  kept: { of: piece => piece.offset, pinned: piece => piece },
} satisfies StageUnderLaw<never, Piece>)

const folder = mkdtempSync(join(tmpdir(), 'feedmill-laws-'))
afterAll(() => rmSync(folder, { recursive: true }))
const path = join(folder, 'feed.tsv.gz')
writeFileSync(path, zipped)
describeLaws({
  name: 'FileSource',
  make: cuts => new FileSource(path, 1 + ((cuts[0] ?? 500) % 3000)),
  content: joined,
  held: { cap: 2 * 501, of: stage => stage.counters.bytesOut, endless: () => undefined },
  empty: 'end',
  kept: { of: block => block.length, pinned: block => block },
} satisfies StageUnderLaw<never, Uint8Array>)

const pieces = (cuts: readonly number[]): Piece[] => {
  let offset = 0
  const ordered = cutBytes(zipped, cuts.length > 0 ? cuts : [50, 100, 1000, 1500, 2000]).map(
    bytes => ({
      offset: (offset += bytes.length) - bytes.length,
      bytes,
    }),
  )
  return ordered.sort((a, b) => ((a.offset * 7919) % 101) - ((b.offset * 7919) % 101))
}
describeLaws({
  name: 'ChunkReassembler',
  make: () => new ChunkReassembler({ totalBytes: zipped.length }),
  input: pieces,
  content: joined,
  held: {
    cap: 64 * 1024 + 2048,
    of: stage =>
      (stage as ChunkReassembler).heldBytes + stage.counters.bytesIn - stage.counters.bytesOut,
    *endless() {
      for (let n = 0; ; n++) yield { offset: n * 1024, bytes: new Uint8Array(1024) }
    },
  },
  empty: 'CHUNK_TOTAL_MISMATCH',
  *prefixes() {
    const all = pieces([])
    for (let n = 1; n < all.length; n++)
      yield { input: all.slice(0, n), ends: ['CHUNK_GAP', 'CHUNK_TOTAL_MISMATCH'] }
    yield { input: all, ends: ['end'] }
  },
} satisfies StageUnderLaw<Piece, Uint8Array>)

for (const [engine, worker] of [['zlib'], ['wasm', true], ['wasm', false], ['fflate']] as const) {
  describeLaws({
    name: `Gunzip (${engine}${worker ? ' with a worker' : ''})`,
    make: () => new Gunzip({ engine, worker: worker ?? true, maxRatio: 2000 }),
    input: cuts => cutBytes(zipped, cuts),
    content: joined,
    // Compressed input counts at its ratio: the repeated file is 5 MiB of text for each MiB taken.
    held: { cap: 3 * MIB, of: inputBytes, endless: () => repeated(() => [zipped]) },
    empty: 'GZIP_EMPTY',
    *prefixes() {
      for (const prefix of everyPrefix(zipped, 97))
        yield { input: [prefix], ends: prefix.length === 0 ? ['GZIP_EMPTY'] : ['GZIP_TRUNCATED'] }
      yield { input: [zipped], ends: ['end'] }
    },
    kept: { of: block => block.slice(0, 10), pinned: block => block },
  } satisfies StageUnderLaw<Uint8Array, Uint8Array>)
}

const zipOf = (form: { isStored: true } | { descriptor: 'signed' }) =>
  buildZip([{ name: 'out/' }, { name: 'out/feed.tsv', content: text, ...form }])
const UNPACKED: Readonly<Record<string, [file: Uint8Array, cut: ErrorCode | 'end']>> = {
  gzip: [zipped, 'GZIP_TRUNCATED'],
  'a ZIP archive': [zipOf({ descriptor: 'signed' }), 'UNPACK_INVALID'],
  'a ZIP archive, stored': [zipOf({ isStored: true }), 'UNPACK_INVALID'],
  'a plain file': [text, 'end'],
  ...(hasZstd && { Zstandard: [zstd(text), 'UNPACK_INVALID'] }),
}
for (const [what, [file, cut]] of Object.entries(UNPACKED))
  for (const engine of ['wasm', 'zlib'] as const)
    describeLaws({
      name: `Decompress of ${what} (${engine})`,
      make: () => new Decompress({ engine, maxRatio: 2000 }),
      input: cuts => cutBytes(file, cuts),
      content: joined,
      held: {
        cap: 3 * MIB,
        of: inputBytes,
        // An archive has one end. What stands in its file may have none.
        endless: () => (what.includes('ZIP') ? endlessZip(file) : repeated(() => [file])),
      },
      empty: 'end',
      *prefixes() {
        for (const prefix of everyPrefix(file, 97))
          yield { input: [prefix], ends: [prefix.length === 0 ? 'end' : cut] }
        yield { input: [file], ends: ['end'] }
      },
      kept: { of: block => block.slice(0, 10), pinned: block => block },
    } satisfies StageUnderLaw<Uint8Array, Uint8Array>)

/** Deflate data of stored blocks, which has no last one. */
function* endlessZip(file: Uint8Array): Generator<Uint8Array, void, void> {
  const dataAt = Buffer.from(file).indexOf('feed.tsv') + 'feed.tsv'.length
  const head = Buffer.from(file.subarray(0, dataAt))
  // The size of a stored file is 4 GB less one byte of ZIP64.
  if (head.readUInt16LE(34 + 8) === 0) head.fill(0xfe, 34 + 18, 34 + 26)
  yield head
  for (;;) yield Buffer.concat([Uint8Array.of(0, 0xff, 0xff, 0, 0), Buffer.alloc(65_535, 'x')])
}

const rowsIn = (batches: readonly Iterable<{ toStrings(): unknown }>[]) =>
  batches.flatMap(batch => Array.from(batch, row => row.toStrings()))
const keptRow = {
  of: (batch: ItemBatch) => [
    batch.row(0).detach(),
    batch.row(0).get('title'),
    batch.row(0).toObject(),
  ],
  pinned: (batch: ItemBatch) => batch,
}

/**
 * The two stages run over a worker from a member's second byte on, and over the engine of one
 * thread.
 */
for (const worker of [true, false]) {
  describeLaws({
    name: `Gunzip and TsvRowParser composed (${worker ? 'with' : 'without'} a worker)`,
    make: () => composed(worker),
    input: cuts => cutBytes(zipped, cuts),
    content: rowsIn,
    held: { cap: 3 * MIB, of: inputBytes, endless: () => repeated(() => [zipped]) },
    empty: 'GZIP_EMPTY',
    *prefixes() {
      for (const prefix of everyPrefix(zipped, 97))
        yield { input: [prefix], ends: prefix.length === 0 ? ['GZIP_EMPTY'] : ['GZIP_TRUNCATED'] }
      yield { input: [zipped], ends: ['end'] }
    },
    kept: keptRow,
  } satisfies StageUnderLaw<Uint8Array, ItemBatch>)
}

function composed(worker: boolean): Stage<Uint8Array, ItemBatch> {
  const gunzip = new Gunzip({ engine: 'wasm', worker, maxRatio: 2000 })
  return new Composed(gunzip, new TsvRowParser({ schema: itemSchema, batchBytes: 1024 }))
}

/** Parsers that decode all cells, over any cut of the file. */
const decoding = {
  input: (cuts: readonly number[]) => cutBytes(text, cuts),
  held: { cap: 2 * text.length, of: inputBytes, endless: () => repeated(() => [text]) },
  empty: 'TSV_EMPTY' as const,
  *prefixes() {
    for (const prefix of everyPrefix(text, 53))
      yield {
        input: [prefix],
        ends: [
          'end',
          'TSV_EMPTY',
          'TSV_ROW_SHORT',
          'TSV_QUOTE_UNCLOSED',
          'TSV_COLUMN_MISSING',
          'TSV_UTF8_INVALID',
          'CELL_INVALID',
        ] as const,
      }
  },
}

describeLaws({
  ...decoding,
  name: 'TsvObjectParser',
  make: () => new TsvObjectParser({ schema: itemSchema, batchBytes: 1024 }),
  content: batches => batches.flat(),
  kept: { of: objects => objects[0], pinned: objects => objects },
} satisfies StageUnderLaw<Uint8Array, RowObject<ItemColumns>[]>)

describeLaws({
  ...decoding,
  name: 'TsvColumnParser',
  make: () => new TsvColumnParser({ schema: itemSchema, batchBytes: 1024 }),
  content: batches => batches.flatMap(batch => [...batch]),
  kept: { of: batch => batch.column('title').get(0), pinned: batch => batch },
} satisfies StageUnderLaw<Uint8Array, ColumnBatch<ItemColumns>>)

const COLUMNS = [['all columns'], ['two columns', 'itemId', 'title']] as const
for (const [which, ...columns] of COLUMNS) {
  describeLaws({
    name: `TsvRowParser with ${which}`,
    make: () =>
      new TsvRowParser({
        schema: itemSchema,
        batchBytes: 1024,
        ...(columns.length > 0 && { columns }),
      }) as Stage<Uint8Array, ItemBatch>,
    input: cuts => cutBytes(text, cuts),
    content: rowsIn,
    held: { cap: 2 * text.length, of: inputBytes, endless: () => repeated(() => [text]) },
    empty: 'TSV_EMPTY',
    *prefixes() {
      // A cut row that still has all its cells looks like a complete row. Only the gzip trailer
      // before the parser detects such a cut.
      for (const prefix of everyPrefix(text, 53))
        yield {
          input: [prefix],
          ends: [
            'end',
            'TSV_EMPTY',
            'TSV_ROW_SHORT',
            'TSV_QUOTE_UNCLOSED',
            'TSV_COLUMN_MISSING',
            'TSV_UTF8_INVALID',
          ],
        }
      const short = text.subarray(0, text.lastIndexOf(0x09))
      yield { input: [short], ends: ['TSV_ROW_SHORT'] }
    },
    kept: keptRow,
  } satisfies StageUnderLaw<Uint8Array, ItemBatch>)
}

/** CSV of RFC 4180 behind a comment, without a header line: the rows of the text above. */
const csvDialect = { delimiter: ',', quoting: 'doubled', comment: '#', header: lines[0]! } as const
const csvCell = (cell: string) => (/["|\t]/.test(cell) ? `"${cell.replace(/"/g, '""')}"` : cell)
const csv = Buffer.from(
  `# made for the laws\n${lines
    .slice(1)
    .map(line => `${line.map(csvCell).join(',')}\r\n`)
    .join('')}`,
)
const CSV_ENDS = ['end', 'TSV_ROW_SHORT', 'TSV_QUOTE_UNCLOSED', 'TSV_UTF8_INVALID'] as const
const ofCsv = {
  input: (cuts: readonly number[]) => cutBytes(csv, cuts),
  held: { cap: 2 * csv.length, of: inputBytes, endless: () => repeated(() => [csv]) },
  // A file without a header line may have no rows.
  empty: 'end' as const,
}

describeLaws({
  ...ofCsv,
  name: 'TsvObjectParser with another dialect',
  make: () =>
    new TsvObjectParser({ schema: itemSchema, batchBytes: 1024, dialect: csvDialect }) as never,
  content: batches => batches.flat(),
  *prefixes() {
    for (const prefix of everyPrefix(csv, 53))
      yield { input: [prefix], ends: [...CSV_ENDS, 'CELL_INVALID'] }
  },
  kept: { of: objects => objects[0], pinned: objects => objects },
} satisfies StageUnderLaw<Uint8Array, RowObject<ItemColumns>[]>)

describeLaws({
  ...ofCsv,
  name: 'TsvRowParser with another dialect',
  make: () => new TsvRowParser({ schema: itemSchema, batchBytes: 1024, dialect: csvDialect }),
  content: rowsIn,
  *prefixes() {
    for (const prefix of everyPrefix(csv, 53)) yield { input: [prefix], ends: CSV_ENDS }
    const short = csv.subarray(0, csv.lastIndexOf(0x2c))
    yield { input: [short], ends: ['TSV_ROW_SHORT'] }
  },
  kept: keptRow,
} satisfies StageUnderLaw<Uint8Array, ItemBatch>)

const batches = batchesOf(itemSchema, { feed: 'item', lastModified: new Date(0) }, lines)
const cutRows = (cuts: readonly number[]) => cutBatches(batches, 1 + ((cuts[0] ?? 99) % 150))

/** These stages read and write rows: any prefix of batches is a complete input. */
const rowStage = {
  input: cutRows,
  held: { cap: 2, of: itemsTaken, endless: () => repeated(() => cutRows([])) },
  empty: 'end' as const,
  *prefixes() {
    const all = cutRows([])
    for (let n = 0; n <= all.length; n++) yield { input: all.slice(0, n), ends: ['end' as const] }
  },
}

describeLaws({
  ...rowStage,
  name: 'ColumnDecoder',
  make: () => new ColumnDecoder<ItemColumns>(),
  content: rowsIn,
} satisfies StageUnderLaw<ItemBatch, ItemBatch>)
describeLaws({
  ...rowStage,
  name: 'filter',
  make: () =>
    new FilterRows<ItemBatch>(row => Number(row.text('estimatedAvailableQuantity')) % 2 === 0),
  held: { ...rowStage.held, cap: 3 },
  content: rowsIn,
} satisfies StageUnderLaw<ItemBatch, ItemBatch>)
describeLaws({
  ...rowStage,
  name: 'tap',
  make: () => new TapRows<ItemBatch>(() => {}),
  content: rowsIn,
} satisfies StageUnderLaw<ItemBatch, ItemBatch>)
describeLaws({
  ...rowStage,
  name: 'map',
  make: () => new MapRows<ItemBatch, string>(row => row.text('title')),
  content: (outputs: string[][]) => outputs.flat(),
} satisfies StageUnderLaw<ItemBatch, string[]>)
describeLaws({
  ...rowStage,
  name: 'batch',
  make: () => new BatchRows<ItemBatch>(7),
  content: (outputs: Row<ItemColumns>[][]) => outputs.flat().map(row => row.toStrings()),
} satisfies StageUnderLaw<ItemBatch, Row<ItemColumns>[]>)
for (const ordered of [true, false])
  describeLaws({
    ...rowStage,
    name: `mapAsync (${ordered ? 'ordered' : 'unordered'})`,
    make: () =>
      new MapAsyncRows<ItemBatch, Promise<string>>(async row => row.text('title'), { ordered }),
    content: (outputs: string[][]) => (ordered ? outputs.flat() : outputs.flat().sort()),
  } satisfies StageUnderLaw<ItemBatch, string[]>)
for (const isAsync of [false, true]) {
  const result = (value: unknown) =>
    (value as RowObject<ItemColumns>).estimatedAvailableQuantity === 0
      ? { issues: [{ message: 'nothing is left' }] }
      : { value: (value as RowObject<ItemColumns>).title }
  const validate = isAsync ? async (value: unknown) => result(value) : result
  const schema = { '~standard': { version: 1, vendor: 'the laws', validate } } as const
  describeLaws({
    ...rowStage,
    name: `validate (${isAsync ? 'with promises' : 'at once'})`,
    make: () => new ValidateRows<ItemBatch, string | null>(schema, { onBadRow: 'skip' }),
    content: (outputs: (string | null)[][]) => outputs.flat(),
  } satisfies StageUnderLaw<ItemBatch, (string | null)[]>)
}
describeLaws({
  ...rowStage,
  name: 'take',
  endsEarly: true,
  make: () => new TakeRows<ItemBatch>(ROWS),
  content: rowsIn,
} satisfies StageUnderLaw<ItemBatch, ItemBatch>)

const groups = batchesOf(itemGroupSchema, { feed: 'item_group' }, [
  ['itemGroupId', 'title'],
  ...[1, 2, 3, 4, 9].map(n => [`g${n}`, `group ${n}`]),
])
const groupSource = () =>
  (async function* () {
    yield* groups
  })()

describeLaws({
  ...rowStage,
  name: 'GroupJoiner (items-with-group)',
  make: () =>
    new GroupJoiner({ groups: groupSource() }) as never as Stage<
      ItemBatch,
      readonly JoinedItem<Row<ItemColumns>, ItemGroupColumns>[]
    >,
  content: outputs =>
    outputs
      .flat()
      .map(({ kind, item, group }) => [kind, item?.text('itemId'), group?.text('title')]),
} satisfies StageUnderLaw<ItemBatch, readonly JoinedItem<Row<ItemColumns>, ItemGroupColumns>[]>)

describeLaws({
  ...rowStage,
  name: 'GroupJoiner (group-with-items)',
  // The stage takes all of its input before it gives an output: the cap of its store limits what it
  // holds.
  held: { cap: 1, of: itemsTaken, endless: () => repeated(() => cutRows([])) },
  make: () =>
    new GroupJoiner({ groups: groupSource(), mode: 'group-with-items' }) as never as Stage<
      ItemBatch,
      readonly JoinedGroup<ItemColumns, ItemGroupColumns>[]
    >,
  content: outputs =>
    // Items without a group come with the batch that brought them. The test compares their order
    // and not their batches.
    outputs
      .flat()
      .flatMap(({ kind, groupId, items }) =>
        [[kind, groupId].join(), ...items.map(item => item.text('itemId'))].slice(
          kind === 'ungrouped' ? 1 : 0,
        ),
      ),
} satisfies StageUnderLaw<ItemBatch, readonly JoinedGroup<ItemColumns, ItemGroupColumns>[]>)

const snapshot = batchesOf(
  itemSnapshotSchema,
  { feed: 'item_snapshot', hour: new Date(3_600_000) },
  [
    ['itemId', 'availability', 'title', 'itemSnapshotDate'],
    ...Array.from({ length: ROWS }, (_, n) => [
      cellsOf(n % 90)[0]!,
      n % 11 === 0 ? 'UNAVAILABLE' : 'AVAILABLE',
      n % 11 === 0 ? '' : `t${n}`,
      n % 11 === 0 ? '' : new Date(3_600_000 + n * 1000).toISOString(),
    ]),
  ],
)
const cutSnapshot = (cuts: readonly number[]) => cutBatches(snapshot, 1 + ((cuts[0] ?? 99) % 150))
type SnapshotBatch = (typeof snapshot)[number]
describeLaws({
  name: 'SnapshotMerger',
  make: () =>
    new SnapshotMerger() as never as Stage<SnapshotBatch, readonly MergeChange<Columns>[]>,
  input: cutSnapshot,
  content: outputs => outputs.flat().map(({ kind, itemId }) => [kind, itemId]),
  held: { cap: 3, of: itemsTaken, endless: () => repeated(() => cutSnapshot([])) },
  empty: 'end',
  *prefixes() {
    for (let n = 0; n < 4; n++) yield { input: cutSnapshot([]).slice(0, n), ends: ['end' as const] }
  },
} satisfies StageUnderLaw<SnapshotBatch, readonly MergeChange<Columns>[]>)
