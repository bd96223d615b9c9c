import { createHash } from 'node:crypto'
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterEach, beforeEach, expect, test } from 'vitest'
import {
  byteSink,
  csvSink,
  defineSchema,
  type FeedError,
  ndjsonSink,
  pipeline,
  type ShardFile,
  type Sink,
  shardSink,
  TsvColumnParser,
  TsvRowParser,
  text,
} from '../../../src/index'

let folder: string
beforeEach(async () => {
  folder = join(await mkdtemp(join(tmpdir(), 'feedmill-shards-')), 'out')
})
afterEach(() => rm(join(folder, '..'), { recursive: true }))

const contentOf = (name: string) => readFile(join(folder, name), 'utf8')
const lines = { sink: (path: string) => ndjsonSink(path), ending: '.ndjson' }
const schema = defineSchema({ name: 'stock', columns: { sku: text() } })

async function manifest(): Promise<{ rows: number; files: ShardFile[] }> {
  return JSON.parse(await contentOf('manifest.json'))
}

/** Checks the manifest against the files, and returns their contents. */
async function proved(): Promise<string[]> {
  const { rows, files } = await manifest()
  expect(await readdir(folder)).toEqual(['manifest.json', ...files.map(({ name }) => name)].sort())
  const contents: string[] = []
  for (const { name, bytes, sha256 } of files) {
    const content = await readFile(join(folder, name))
    expect([name, bytes, sha256]).toEqual([
      name,
      content.length,
      createHash('sha256').update(content).digest('hex'),
    ])
    contents.push(content.toString())
  }
  expect(rows).toBe(files.reduce((sum, file) => sum + file.rows, 0))
  return contents
}

const skus = fc.array(fc.string({ unit: 'grapheme', minLength: 1, maxLength: 6 }), {
  maxLength: 40,
})

/** Cuts an array anywhere. */
const cuts = fc.array(fc.nat({ max: 9 }), { minLength: 1, maxLength: 5 })
function* cutInto<T extends { length: number; slice(from: number, to: number): T }>(
  all: T,
  lengths: readonly number[],
): Generator<T> {
  for (let at = 0, n = 0; at < all.length; n++) {
    const length = lengths[n % lengths.length]! + (n % 2)
    yield all.slice(at, at + length)
    at += length
  }
}

test('The files are one after another what one file would be, however the rows are cut.', async () => {
  await fc.assert(
    fc.asyncProperty(skus, cuts, fc.integer({ min: 1, max: 12 }), async (keys, lengths, rows) => {
      await rm(folder, { recursive: true, force: true })
      const all = keys.map(sku => ({ sku }))
      await pipeline(cutInto(all, lengths)).run(shardSink(folder, { ...lines, rows, key: 'sku' }))
      const contents = await proved()
      expect(contents.join('')).toBe(all.map(row => `${JSON.stringify(row)}\n`).join(''))
      const { files } = await manifest()
      expect(files.map(file => file.rows)).toEqual([
        ...Array.from({ length: files.length - 1 }, () => rows),
        files.at(-1)!.rows,
      ])
      expect(files.length).toBe(Math.max(1, Math.ceil(keys.length / rows)))
      files.forEach(({ first, last }, n) => {
        const own = keys.slice(n * rows, (n + 1) * rows).map(key => Buffer.from(key))
        own.sort(Buffer.compare)
        expect([first, last]).toEqual([own[0]?.toString(), own.at(-1)?.toString()])
      })
    }),
    { numRuns: 60 },
  )
})

test('Blocks of bytes are divided at the line, wherever they are cut.', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.string({ maxLength: 8 }).map(line => line.replaceAll('\n', ''))),
      cuts,
      fc.integer({ min: 1, max: 5 }),
      fc.boolean(),
      async (all, lengths, rows, ends) => {
        await rm(folder, { recursive: true, force: true })
        const bytes = Buffer.from(all.join('\n') + (ends && all.length > 0 ? '\n' : ''))
        const sink = shardSink(folder, { sink: path => byteSink(path), ending: '.txt', rows })
        await pipeline(cutInto(bytes as Uint8Array, lengths)).run(sink)
        const contents = await proved()
        expect(contents.join('')).toBe(bytes.toString())
        for (const content of contents.slice(0, -1))
          expect([content.at(-1), content.split('\n').length - 1]).toEqual(['\n', rows])
      },
    ),
    { numRuns: 60 },
  )
})

test('Batches of rows are divided, and batches of columns are not.', async () => {
  const file = [Buffer.from(`sku\n${Array.from({ length: 25 }, (_, n) => `s${n}`).join('\n')}\n`)]
  const options = { ending: '.csv', rows: 10, key: 'sku' }
  await pipeline(file)
    .to(new TsvRowParser({ schema }))
    .run(shardSink(folder, { ...options, sink: path => csvSink(path) }))
  const contents = await proved()
  expect(contents.map(content => content.split('\r\n')[0])).toEqual(['sku', 'sku', 'sku'])
  expect((await manifest()).files.map(({ first, last }) => [first, last])).toEqual([
    ['s0', 's9'],
    ['s10', 's19'],
    ['s20', 's24'],
  ])
  const columns = pipeline(file).to(new TsvColumnParser({ schema }))
  await expect(columns.run(shardSink(folder, { ...lines, rows: 10 }))).rejects.toMatchObject({
    code: 'SINK_VALUE_INVALID',
    context: { row: 1 },
  })
  expect(await proved()).toEqual(contents)
})

test('The range of a batch of columns is that of its column.', async () => {
  const file = [Buffer.from('sku\nb\n\nc\na\n')]
  const columns = pipeline(file).to(new TsvColumnParser({ schema }))
  await columns.run(shardSink(folder, { ...lines, key: 'sku' }))
  expect((await manifest()).files).toMatchObject([{ first: 'a', last: 'c' }])
})

test('A run replaces the files of the run before, and leaves others alone.', async () => {
  const rows = Array.from({ length: 5 }, (_, n) => ({ sku: `s${n}` }))
  await pipeline([rows]).run(shardSink(folder, { ...lines, rows: 1 }))
  await writeFile(join(folder, 'part-of-somebody'), 'x')
  const about = { watermark: '2026-03-01T00:00:00Z' }
  await pipeline([rows]).run(shardSink(folder, { ...lines, rows: 3, about }))
  expect(await readdir(folder)).toEqual([
    'manifest.json',
    'part-00000.ndjson',
    'part-00001.ndjson',
    'part-of-somebody',
  ])
  expect(await manifest()).toMatchObject({ ...about, rows: 5 })
})

test('Without rows there is one file.', async () => {
  await pipeline([[]]).run(shardSink(folder, lines))
  expect(await proved()).toEqual([''])
})

test('After a failure the folder is as it was.', async () => {
  function* failing() {
    yield [{ sku: 'a' }, { sku: 'b' }, { sku: 'c' }]
    throw new RangeError('the source failed')
  }
  const run = () => pipeline(failing()).run(shardSink(folder, { ...lines, rows: 1 }))
  await expect(run()).rejects.toMatchObject({ code: 'STAGE_FAILED' })
  expect(await readdir(join(folder, '..'))).toEqual([])
  await pipeline([[{ sku: 'z' }]]).run(shardSink(folder, { ...lines, rows: 1 }))
  await expect(run()).rejects.toMatchObject({ code: 'STAGE_FAILED' })
  expect(await proved()).toEqual(['{"sku":"z"}\n'])
})

test('Folders that a failed run has made are removed, with those around them.', async () => {
  const rows = (function* () {
    yield [{ sku: 'a' }]
    throw new RangeError('the source failed')
  })()
  const run = pipeline(rows).run(shardSink(join(folder, 'of', 'a', 'day'), lines))
  await expect(run).rejects.toMatchObject({ code: 'STAGE_FAILED' })
  expect(await readdir(join(folder, '..'))).toEqual([])
})

test('A sink may be an object of a class.', async () => {
  class Whole implements Sink<unknown> {
    readonly name = 'whole'
    readonly #sink: Sink<unknown>

    constructor(path: string) {
      this.#sink = ndjsonSink(path) as Sink<unknown>
    }

    readonly write = (item: unknown) => this.#sink.write(item)

    open() {
      return this.#sink.open?.()
    }

    prepare() {
      return this.#sink.prepare?.()
    }

    commit() {
      return this.#sink.commit()
    }

    abort(error: FeedError) {
      return this.#sink.abort(error)
    }
  }
  const sink = (path: string) => new Whole(path)
  await pipeline([[{ sku: 'a' }, { sku: 'b' }]]).run(shardSink(folder, { ...lines, sink, rows: 1 }))
  expect(await proved()).toEqual(['{"sku":"a"}\n', '{"sku":"b"}\n'])
})

test('A commit that ends between two files names those that are new.', async () => {
  let made = 0
  const sink = (path: string): Sink<unknown> => {
    const whole = ndjsonSink(path) as Sink<unknown>
    const fails = made++ === 1
    return {
      name: whole.name,
      write: item => whole.write(item),
      open: () => whole.open?.(),
      prepare: () => whole.prepare?.(),
      commit: () => {
        if (fails) throw new Error('no space')
        return whole.commit()
      },
      abort: error => whole.abort(error),
    }
  }
  const run = pipeline([[1, 2, 3].map(n => ({ n }))]).run(
    shardSink(folder, { sink, ending: '.ndjson', rows: 1 }),
  )
  await expect(run).rejects.toMatchObject({
    code: 'SINK_PARTLY_COMMITTED',
    context: {
      committed: ['part-00000.ndjson'],
      failed: 'part-00001.ndjson',
      aborted: ['part-00001.ndjson', 'part-00002.ndjson', 'manifest.json'],
    },
  })
  expect(await readdir(folder)).toEqual(['part-00000.ndjson'])
})

test.each([
  ['ending', { ...lines, ending: '/../x' }],
  ['rows', { ...lines, rows: 0 }],
  ['sink', { ending: '.ndjson' }],
  ['about', { ...lines, about: 3 }],
])('The option %s is checked at the call.', (option, options) => {
  expect(() => shardSink(folder, options as never)).toThrow(
    expect.objectContaining({
      code: 'OPTION_INVALID',
      context: expect.objectContaining({ option }),
    }),
  )
})
