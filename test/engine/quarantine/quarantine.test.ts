import { appendFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterAll, beforeEach, describe, expect, test } from 'vitest'
import {
  ColumnDecoder,
  concat,
  defineSchema,
  FeedError,
  int32,
  type Pipeline,
  pipeline,
  type Quarantine,
  quarantine,
  replay,
  TsvObjectParser,
  TsvRowParser,
  text,
} from '../../../src/index'
import { damaged, damages, pieces, wellFormed } from './damaged'

const folder = mkdtempSync(join(tmpdir(), 'feedmill-quarantine-'))
afterAll(() => rmSync(folder, { recursive: true }))

const schema = defineSchema({ name: 'stock', columns: { sku: text(), stock: int32() } })
const FILE = 'sku\tstock\nA-1\t12\nA-2\nA-3\tmany\nA-4\t4'
let path: string
let files = 0
beforeEach(() => {
  path = join(folder, `${++files}.ndjson`)
})

const records = () =>
  readFileSync(path, 'utf8')
    .trimEnd()
    .split('\n')
    .map(line => JSON.parse(line))

async function failureOf(work: Promise<unknown>): Promise<FeedError> {
  const failure = await work.then(
    () => undefined,
    error => error,
  )
  expect(failure).toBeInstanceOf(FeedError)
  return failure
}

test('one quarantine takes the bad rows of a parser and the rows with bad cells', async () => {
  const bad = quarantine(path)
  const summary = await pipeline([Buffer.from(FILE)])
    .to(new TsvRowParser({ schema, onBadRow: bad }))
    .to(new ColumnDecoder({ onBadCell: bad }))
    .forEach(() => {})
  const [file, ...rows] = records().filter(record => 'row' in record || 'file' in record)
  expect(file).toMatchObject({ file: { feed: 'stock' }, columns: ['sku', 'stock'] })
  expect(rows).toMatchObject([
    { row: 2, line: 3, byteOffset: 17, code: 'TSV_ROW_SHORT', text: 'A-2\n' },
    { row: 3, line: 4, byteOffset: 21, code: 'CELL_INVALID', column: 'stock', text: 'A-3\tmany\n' },
  ])
  expect([bad.rows, bad.bytes]).toEqual([2, 13])
  const [parser, decoder] = summary.stages.slice(-2)
  expect(parser).toMatchObject({ rowsOut: 3, rowsLeftOut: 1 })
  expect(decoder).toMatchObject({ rowsIn: 3, rowsOut: 2, rowsLeftOut: 1 })
})

test('TsvObjectParser leaves out the same rows', async () => {
  const bad = quarantine(path)
  const summary = await pipeline([Buffer.from(FILE)])
    .to(new TsvObjectParser({ schema, onBadRow: bad, onBadCell: bad }))
    .forEach(() => {})
  expect(records().map(({ row }) => row)).toEqual([undefined, 2, 3])
  expect(summary.stages.at(-1)).toMatchObject({ rowsOut: 2, rowsLeftOut: 2 })
})

test('fault 126: for random damage the rows read are the rows kept and those in the file, and no byte is lost', async () => {
  await fc.assert(
    fc.asyncProperty(wellFormed, damages, fc.nat(200), async (lines, damage, most) => {
      rmSync(path, { force: true })
      const bytes = damaged(lines, damage)
      const bad = quarantine(path)
      const parser = new TsvRowParser({ onBadRow: bad, maxRowBytes: 100, batchBytes: 64 })
      let keptRows = 0
      let keptBytes = Buffer.byteLength(lines[0]!)
      const { stages } = await pipeline([...pieces(bytes, most + 1)])
        .to(parser)
        .forEach(row => {
          keptRows++
          keptBytes += row.batch.lineOf(row.slot).length
        })
      const { rowsOut, rowsLeftOut } = stages.at(-1)!
      expect([rowsOut, rowsLeftOut]).toEqual([keptRows, bad.rows])
      const inFile = bad.rows === 0 ? [] : records().filter(record => 'row' in record)
      expect(inFile.filter(record => record.rest !== true)).toHaveLength(bad.rows)
      const quarantined = inFile.map(({ byteOffset, text: content, base64 }) => ({
        byteOffset,
        bytes: base64 === undefined ? Buffer.from(content) : Buffer.from(base64, 'base64'),
      }))
      for (const part of quarantined)
        expect(part.bytes).toEqual(
          bytes.subarray(part.byteOffset, part.byteOffset + part.bytes.length),
        )
      const badBytes = quarantined.reduce((sum, part) => sum + part.bytes.length, 0)
      expect([keptBytes + badBytes, bad.bytes]).toEqual([bytes.length, badBytes])
    }),
    { numRuns: 60 },
  )
})

test('mended rows are replayed with their file, their positions and their cells', async () => {
  const bad = quarantine(path)
  await pipeline([Buffer.from(FILE)])
    .to(new TsvRowParser({ schema, onBadRow: bad }))
    .to(new ColumnDecoder({ onBadCell: bad }))
    .toArray()
  const mended = records().map(record =>
    record.row === 2
      ? { ...record, text: 'A-2\t2\nA-2b\t22' }
      : record.row === 3
        ? { ...record, text: '' }
        : record,
  )
  writeFileSync(path, mended.map(record => JSON.stringify(record)).join('\n'))
  const rows = await pipeline(replay(path, { schema })).toArray()
  expect(rows.map(row => [row.toObject(), row.position.row, row.position.line])).toEqual([
    [{ sku: 'A-2', stock: 2 }, 2, 3],
    [{ sku: 'A-2b', stock: 22 }, 3, 4],
  ])
})

test('a replay throws for a row that is still bad, or gives it to another quarantine', async () => {
  const run = () =>
    pipeline([Buffer.from(FILE)]).to(new TsvRowParser({ schema, onBadRow: quarantine(path) }))
  await run().toArray()
  const failure = await failureOf(pipeline(replay(path, { schema })).toArray())
  expect([failure.code, failure.context]).toEqual([
    'TSV_ROW_SHORT',
    expect.objectContaining({ row: 2, line: 3, byteOffset: 17 }),
  ])
  const again = quarantine(`${path}.again`)
  expect(await pipeline(replay(path, { schema, onBadRow: again })).toArray()).toEqual([])
  expect(readFileSync(`${path}.again`, 'utf8')).toBe(readFileSync(path, 'utf8'))
})

describe('the file of a quarantine', () => {
  const run = (to = quarantine(path)) =>
    pipeline([Buffer.from(FILE)])
      .to(new TsvRowParser({ schema, onBadRow: to }))
      .toArray()

  test('is made by the first bad row', async () => {
    await pipeline([Buffer.from('sku\tstock\nA\t1\n')])
      .to(new TsvRowParser({ schema, onBadRow: quarantine(path) }))
      .toArray()
    expect(() => readFileSync(path)).toThrow('ENOENT')
  })

  test('keeps its records, and loses a last line that a killed process left incomplete', async () => {
    await run()
    const before = readFileSync(path, 'utf8')
    appendFileSync(path, '{"row":7,"li')
    await run()
    expect(readFileSync(path, 'utf8')).toBe(before + before)
  })

  test('is never a file of another kind', async () => {
    writeFileSync(path, 'notes\n')
    const failure = await failureOf(run())
    expect([failure.code, failure.context]).toMatchObject([
      'SINK_FAILED',
      { sink: 'quarantine', target: path },
    ])
    expect(readFileSync(path, 'utf8')).toBe('notes\n')
  })

  test('fails the run where it cannot be written', async () => {
    const failure = await failureOf(run(quarantine(join(folder, 'missing', 'bad.ndjson'))))
    expect([failure.code, failure.context]).toMatchObject(['SINK_FAILED', { reason: 'ENOENT' }])
  })
})

describe('fault 107: every record is on the disk before the run settles', () => {
  const ignored = () => {}
  const failing = (at: 'write' | 'prepare' | 'commit') => ({
    name: 'failing',
    write() {},
    commit() {},
    abort() {},
    [at]: () => {
      throw new RangeError('full')
    },
  })
  type Stock = Pipeline<unknown>
  const ends: Record<string, (rows: Stock, abort: AbortController) => Promise<unknown>> = {
    well: rows => rows.toArray(),
    take: rows => rows.take(1).toArray(),
    'take around it': rows =>
      pipeline(() => rows)
        .take(1)
        .toArray(),
    'take around a concat': rows => concat([rows]).take(1).toArray(),
    break: async rows => {
      for await (const _ of rows) break
    },
    'a destroyed Node stream': rows =>
      new Promise(resolve => {
        const stream = rows.toNodeReadable()
        stream.on('close', resolve)
        stream.on('error', ignored)
        stream.once('data', () => stream.destroy())
      }),
    abort: (rows, abort) => rows.forEach(() => abort.abort()),
    'a later failure': rows =>
      rows
        .map(() => {
          throw new RangeError('mine')
        })
        .toArray(),
    'a sink that does not write': rows => rows.run(failing('write')),
    'a sink that does not prepare': rows => rows.run(failing('prepare')),
    'a sink that does not commit': rows => rows.run(failing('commit')),
  }
  const stages = {
    TsvRowParser: (bad: Quarantine, limit: object) => new TsvRowParser({ onBadRow: bad, ...limit }),
    TsvObjectParser: (bad: Quarantine, limit: object) =>
      new TsvObjectParser({ onBadRow: bad, ...limit }),
  }

  test.each(Object.keys(ends))('%s', async way => {
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(...(Object.keys(stages) as (keyof typeof stages)[])),
        fc.array(fc.constantFrom('good', 'bad', 'many bad'), { minLength: 1 }),
        fc.option(fc.nat(5), { nil: undefined }),
        fc.boolean(),
        async (stage, parts, maxBadRows, again) => {
          rmSync(path, { force: true })
          const bad = quarantine(path)
          const abort = new AbortController()
          let atSettled = -1
          const rowsIn = (file: Quarantine) =>
            file.rows === 0 ? 0 : readFileSync(file.path, 'utf8').split('\n{"row":').length - 1
          const onSettled = () => {
            atSettled = rowsIn(bad)
          }
          const lines = { good: 'A\t1\n', bad: 'bad\n', 'many bad': 'bad\n'.repeat(800) }
          const text = `sku\tstock\n${parts.map(part => lines[part as 'bad']).join('')}B\t2\n`
          const source = () => [Buffer.from(text)]
          const rows = pipeline(source, { signal: abort.signal, onSettled }).to<unknown>(
            () => stages[stage](bad, maxBadRows === undefined ? {} : { maxBadRows }) as never,
          )
          await ends[way]!(rows, abort).catch(ignored)
          expect([rowsIn(bad), atSettled]).toEqual([bad.rows, bad.rows])
          if (!again || bad.rows === 0) return
          const still = quarantine(`${path}.still`)
          rmSync(still.path, { force: true })
          await ends[way]!(
            pipeline(() => replay(path, { onBadRow: still })),
            abort,
          ).catch(ignored)
          expect(rowsIn(still)).toBe(still.rows)
        },
      ),
      { numRuns: 6 },
    )
  })

  test('bad cells too, and a run that cannot write them fails also behind take', async () => {
    for (const target of [path, join(folder, 'no', 'such')]) {
      const bad = quarantine(target)
      const run = pipeline([Buffer.from('sku\tstock\nA\tmany\nB\t2\n')])
        .to(new TsvRowParser({ schema }))
        .to(new ColumnDecoder({ onBadCell: bad }))
        .take(1)
        .toArray()
      if (target === path) await run
      else expect((await failureOf(run)).code).toBe('SINK_FAILED')
    }
    expect(records()).toHaveLength(2)
  })
})

test('a quarantine of cells refuses a projection, whose rows lack bytes', async () => {
  const onBadCell = quarantine(path)
  const refusal = { code: 'OPTION_INVALID', context: { option: 'onBadCell' } }
  const failure = await failureOf(
    pipeline([Buffer.from(FILE.replace('A-2\n', ''))])
      .to(new TsvRowParser({ schema, columns: ['stock'] }))
      .to(new ColumnDecoder({ onBadCell }))
      .toArray(),
  )
  expect(failure).toMatchObject(refusal)
  expect(() => new TsvObjectParser({ schema, columns: ['stock'], onBadCell })).toThrow(
    expect.objectContaining({ code: 'OPTION_INVALID' }),
  )
})
