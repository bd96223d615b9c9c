import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { machineFiles, type RowBatch } from '../../../src/engine'
import type { Dialect } from '../../../src/engine/codec/tsv/dialect'
import { RowSorter } from '../../../src/state/runs/row-sorter'
import { type KeyedBlocks, Run } from '../../../src/state/runs/run-reader'
import { RunWriter } from '../../../src/state/runs/run-writer'
import { anyColumns, batchesIn, writtenIn } from '../../tsv-text'
import { headOf, keyedRowsOf } from '../keyed-rows-of'

let folder: string
let names = 0
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'feedmill-sorter-'))
})
afterAll(() => rm(folder, { recursive: true, force: true }))

const KEYS = ['a', 'ab', 'b', '\uff5e', '😀']
/** Any cell, and some that no writer would leave without quotes. */
const cell = fc.oneof(
  fc.string({ unit: fc.constantFrom('a', '\r', '\n', '\t', ';', '"', '\\', 'é'), maxLength: 4 }),
  fc.constantFrom('', 'x\r', '\r', 'x\ry', 'z'.repeat(3000)),
)
const dialect = fc.constantFrom<Dialect>(
  {},
  { delimiter: ';', quoting: 'doubled' },
  { delimiter: ',', quoting: 'none' },
)
const file = fc.record({
  dialect,
  columns: fc.shuffledSubarray(['key', 'x', 'y'], { minLength: 3 }),
  chosen: fc.option(fc.shuffledSubarray(['key', 'x', 'y'], { minLength: 1 })),
  lines: fc.array(fc.record({ key: fc.constantFrom(...KEYS), x: cell, y: cell }), { maxLength: 6 }),
})
type File = typeof file extends fc.Arbitrary<infer T> ? T : never

/** The batches of a file, whose cells stand as they are where the parser takes them so. */
function batchesOf({ dialect, columns, chosen, lines }: File): RowBatch[] {
  const cells = lines.map(line => columns.map(name => line[name as 'x']))
  const isPlain = /^[a-zé\r\uff5e😀]*$/u
  const plain = (text: string) =>
    dialect.quoting === 'none' ? text.replace(/[^a-zé\r\uff5e😀]/gu, '') : writtenIn(dialect, text)
  const row = (texts: readonly string[]) =>
    texts.map(text => (isPlain.test(text) ? text : plain(text))).join(dialect.delimiter ?? '\t')
  const text = [columns, ...cells].map(texts => `${row(texts)}\r\n`).join('')
  const selected = chosen === null ? {} : { columns: [...new Set([...chosen, 'key'])] }
  return batchesIn(text, { schema: anyColumns, dialect, ...selected })
}

type Seen = readonly [key: string, position: unknown, cells: unknown]

function seenOf(batch: RowBatch): Seen[] {
  return Array.from(batch, row => [row.text('key'), row.position, row.toStrings()])
}

async function seenIn(blocks: KeyedBlocks): Promise<Seen[]> {
  const seen: Seen[] = []
  for (let n = 0; n < blocks.index.blocks.length; n++) {
    const block = await blocks.block(n)
    const lines = await block.lines()
    for (let at = 0; at < block.rows; at++) {
      const row = lines.row(at, anyColumns)
      seen.push([row.text('key' as string), row.position, row.toStrings()])
    }
  }
  return seen
}

async function written(sorter: RowSorter): Promise<Seen[]> {
  const path = join(folder, `${names++}.run`)
  const writer = await RunWriter.create(machineFiles, path, true)
  await sorter.writeTo(writer)
  const run = await Run.open(machineFiles, path, await writer.end())
  const seen = await seenIn(run)
  await run.close()
  return seen
}

const inOrder = (seen: readonly Seen[]) =>
  seen.toSorted(([a], [b]) => Buffer.compare(Buffer.from(a), Buffer.from(b)))

test('Rows come in the order of their keys and of their arrival, with every byte, without those that were dropped.', async () => {
  const step = fc.record({ file, drops: fc.array(fc.nat(100)), compacts: fc.boolean() })
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 5 }), async steps => {
      const sorter = new RowSorter()
      let kept: { readonly seen: Seen; place: number }[] = []
      for (const { file, drops, compacts } of steps) {
        for (const batch of batchesOf(file)) {
          const heads = Array.from(batch, row =>
            headOf(row, { timeMs: 1, removed: false, generatedMs: 0 }),
          )
          const seen = seenOf(batch)
          for (const [n, each] of seen.entries()) kept.push({ seen: each, place: sorter.rows + n })
          sorter.add(
            keyedRowsOf(
              batch,
              seen.map(([key]) => key),
              heads,
            ),
          )
        }
        for (const drop of drops) {
          const [dropped] = kept.splice(drop, 1)
          if (dropped !== undefined) sorter.drop(dropped.place)
        }
        const moved = compacts ? sorter.compact() : undefined
        if (moved) kept = kept.map(({ seen, place }) => ({ seen, place: moved[place]! }))
        const all = inOrder(kept.map(({ seen }) => seen))
        expect(await seenIn(sorter.blocks())).toEqual(all)
        expect(await written(sorter)).toEqual(all)
      }
    }),
    { numRuns: 60 },
  )
})

test('Rows that are larger than a chunk of memory are moved whole.', async () => {
  const sorter = new RowSorter()
  const sizes = [1, 3_000_000, 2, 2_500_000, 1_000_000, 3, 1_900_000]
  const seen = sizes.flatMap((size, n) => {
    const text = `key\tx\nk${n}\t${'x'.repeat(size)}\n`
    return batchesIn(text, { schema: anyColumns, maxRowBytes: 2 ** 23 }).flatMap(batch => {
      const heads = [headOf(batch.row(0), { timeMs: 1, removed: false, generatedMs: 0 })]
      sorter.add(keyedRowsOf(batch, [`k${n}`], heads))
      return seenOf(batch)
    })
  })
  for (const place of [0, 1, 3]) sorter.drop(place)
  const bytes = sorter.byteLength
  expect([...sorter.compact()].filter((_, n) => ![0, 1, 3].includes(n))).toEqual([0, 1, 2, 3])
  expect(sorter.byteLength).toBeLessThan(bytes - 5_500_000)
  expect(await seenIn(sorter.blocks())).toEqual(seen.filter((_, n) => ![0, 1, 3].includes(n)))
})
