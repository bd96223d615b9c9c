// `validate`: what a schema of another library makes of rows and objects, and what becomes of those
// that it refuses.

import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterAll, beforeEach, describe, expect, test } from 'vitest'
import { z } from 'zod'
import {
  defineSchema,
  FeedError,
  int32,
  ndjsonSink,
  pipeline,
  type Quarantine,
  quarantine,
  type RefusedRow,
  type Row,
  replay,
  type StandardSchema,
  TsvColumnParser,
  TsvObjectParser,
  TsvRowParser,
  text,
} from '../../../src/index'

const folder = mkdtempSync(join(tmpdir(), 'feedmill-validate-'))
afterAll(() => rmSync(folder, { recursive: true }))

let path: string
let files = 0
beforeEach(() => {
  path = join(folder, `${++files}.ndjson`)
})

const own = defineSchema({ name: 'stock', columns: { sku: text(), stock: int32() } })
const FILE = Buffer.from('sku\tstock\nA-1\t12\nA-2\t-7\nA-3\tmany\n')
const parsed = (file = FILE) => pipeline([file]).to(new TsvRowParser({ schema: own }))

type Validate = StandardSchema['~standard']['validate']
/** A schema of no library. */
const made = (validate: Validate): StandardSchema => ({
  '~standard': { version: 1, vendor: 'made', validate },
})

const turn = () => new Promise<void>(resolve => setImmediate(resolve))

const records = () =>
  existsSync(path)
    ? readFileSync(path, 'utf8')
        .trimEnd()
        .split('\n')
        .map(line => JSON.parse(line))
        .filter(record => 'row' in record)
    : []

async function failureOf(work: Promise<unknown>): Promise<FeedError> {
  const failure = await work.then(
    () => undefined,
    error => error,
  )
  expect(failure).toBeInstanceOf(FeedError)
  return failure
}

/** The lines of a file, by what is wrong with them. */
const LINES = {
  good: 'A\t4\n',
  refused: 'B\t-4\n',
  'bad cell': 'C\tmany\n',
  short: 'D\n',
  'long and refused': `${'é'.repeat(400)}\t-1\n`,
} as const
const CODES = {
  good: undefined,
  refused: 'ROW_INVALID',
  'bad cell': 'CELL_INVALID',
  short: 'TSV_ROW_SHORT',
  'long and refused': 'ROW_INVALID',
} as const
type Kind = keyof typeof LINES
const kinds = fc.array(fc.constantFrom(...(Object.keys(LINES) as Kind[])), { maxLength: 60 })

const HEADER = 'sku\tstock\n'
const fileOf = (lines: readonly Kind[]) =>
  Buffer.from(HEADER + lines.map(kind => LINES[kind]).join(''))

/** What is expected of each line, by its text alone. */
function expectedOf(lines: readonly Kind[]) {
  let byteOffset = HEADER.length
  return lines.map((kind, n) => {
    const line = { kind, row: n + 1, line: n + 2, byteOffset, code: CODES[kind], text: LINES[kind] }
    byteOffset += Buffer.byteLength(LINES[kind])
    return line
  })
}

/** Makes a schema that refuses stock below zero; each answer takes its number of turns. */
function notNegative(turns: readonly number[]) {
  let calls = 0
  return made(value => {
    const { stock } = value as { stock: number }
    const result =
      stock < 0 ? { issues: [{ message: 'below zero', path: ['stock'] }] } : { value: { stock } }
    const wait = turns[calls++ % turns.length]!
    if (wait === 0) return result
    return (async () => {
      for (let n = 0; n < wait; n++) await turn()
      return result
    })()
  })
}
const turns = fc.array(fc.nat(2), { minLength: 1, maxLength: 4 })
const batchBytes = fc.constantFrom(64, 200, 1 << 16)

test('fault 182: the rows read are the rows kept, in order, and those of one quarantine, with all of their bytes', async () => {
  await fc.assert(
    fc.asyncProperty(kinds, turns, batchBytes, async (lines, waits, bytes) => {
      rmSync(path, { force: true })
      const bad = quarantine(path)
      const parser = { schema: own, onBadRow: bad, batchBytes: bytes }
      const kept: unknown[] = []
      const { stages } = await pipeline([fileOf(lines)])
        .to(new TsvRowParser(parser))
        .validate(notNegative(waits), { onBadRow: bad })
        .forEach(value => void kept.push(value))
      const expected = expectedOf(lines)
      const good = expected.filter(({ code }) => code === undefined)
      expect(kept).toEqual(good.map(() => ({ stock: 4 })))
      const left = expected.filter(({ code }) => code !== undefined)
      const byOffset = records().sort((a, b) => a.byteOffset - b.byteOffset)
      expect(byOffset).toEqual(
        left.map(({ kind: _, ...record }) => expect.objectContaining(record)),
      )
      const short = left.filter(({ kind }) => kind === 'short').length
      expect(stages.at(-1)).toMatchObject({
        stage: 'validate',
        rowsIn: lines.length - short,
        rowsOut: good.length,
        rowsLeftOut: left.length - short,
      })
    }),
    { numRuns: 60 },
  )
})

test('a function and skip leave out the same rows, and throw ends at the first of them', async () => {
  await fc.assert(
    fc.asyncProperty(kinds, turns, batchBytes, async (lines, waits, bytes) => {
      const rows = () =>
        pipeline([fileOf(lines)]).to(
          new TsvRowParser({ schema: own, onBadRow: 'skip', batchBytes: bytes }),
        )
      const expected = expectedOf(lines).filter(({ kind }) => kind !== 'short')
      const left = expected.filter(({ code }) => code !== undefined)
      const told: unknown[] = []
      const onBadRow = ({ error, row }: RefusedRow<Row<typeof own.columns>>) => {
        const { line, byteOffset } = error.context
        expect(row.position).toMatchObject({ line, byteOffset })
        told.push([error.code, line, byteOffset, row.text('sku')])
      }
      const seenBy = await rows().validate(notNegative(waits), { onBadRow }).toArray()
      expect(told).toEqual(
        left.map(line => [line.code, line.line, line.byteOffset, line.text.split('\t')[0]]),
      )
      const skipped = await rows().validate(notNegative(waits), { onBadRow: 'skip' }).toArray()
      expect([seenBy.length, skipped]).toEqual([expected.length - left.length, seenBy])

      const before: unknown[] = []
      const run = rows()
        .validate(notNegative(waits))
        .forEach(value => void before.push(value))
      if (left.length === 0) return void (await run)
      const { code, context } = await failureOf(run)
      const { code: first, row, line, byteOffset } = left[0]!
      expect([code, context]).toMatchObject([first, { row, line, byteOffset }])
      expect(before.length).toBeLessThanOrEqual(expected.indexOf(left[0]!))
    }),
    { numRuns: 40 },
  )
})

describe('a schema of Zod', () => {
  const stockSchema = z.object({
    sku: z.string(),
    stock: z.number().min(0),
    colour: z.string().default('none'),
  })

  test('gives its own values of rows, and tells what it refuses', async () => {
    const left: FeedError[] = []
    const onBadRow = ({ error }: { error: FeedError }) => void left.push(error)
    expect(await parsed().validate(stockSchema, { onBadRow }).toArray()).toEqual([
      { sku: 'A-1', stock: 12, colour: 'none' },
    ])
    const place = { row: 2, line: 3, byteOffset: 17 }
    const reason = 'stock: Too small: expected number to be >=0'
    expect(left[0]).toMatchObject({
      code: 'ROW_INVALID',
      message: `row 2, line 3, byte 17: ${reason}`,
      context: { ...place, excerpt: 'A-2\t-7', column: 'stock', reason },
      retryable: false,
    })
    expect(left[1]).toMatchObject({ code: 'CELL_INVALID', context: { row: 3, column: 'stock' } })
  })

  test('takes the text of cells where the parser has no schema, and promises of refinements', async () => {
    const asynchronous = z.object({
      sku: z.string().refine(sku => turn().then(() => sku !== 'A-2')),
      stock: z.coerce.number(),
    })
    const rows = pipeline([Buffer.from('sku\tstock\nA-1\t12\nA-2\t1\nA-3\t\n')])
      .to(new TsvRowParser())
      .validate(asynchronous, { onBadRow: 'skip' })
    expect(await rows.toArray()).toEqual([
      { sku: 'A-1', stock: 12 },
      { sku: 'A-3', stock: 0 },
    ])
  })

  test('judges the objects of TsvObjectParser and TsvColumnParser, and rows in arrays', async () => {
    const good = FILE.subarray(0, FILE.indexOf('A-3'))
    const parsers = [
      pipeline([good]).to(new TsvObjectParser({ schema: own })),
      pipeline([good]).to(new TsvColumnParser({ schema: own })),
      parsed(good).map(row => row.toObject()),
    ]
    for (const objects of parsers) {
      const left: unknown[] = []
      const onBadRow = ({ error, row }: RefusedRow<unknown>) =>
        void left.push(error.message, Object.keys(error.context), row)
      const rows = await objects.validate(stockSchema, { onBadRow }).toArray()
      expect(rows).toEqual([{ sku: 'A-1', stock: 12, colour: 'none' }])
      expect(left).toEqual([
        'element 2: stock: Too small: expected number to be >=0',
        ['column', 'reason'],
        { sku: 'A-2', stock: -7 },
      ])
    }
    const bad = quarantine(path)
    const rows = await parsed().batch(2).validate(stockSchema, { onBadRow: bad }).toArray()
    expect([rows.length, records().map(({ text: line }) => line)]).toEqual([
      1,
      ['A-2\t-7\n', 'A-3\tmany\n'],
    ])
  })

  test('judges mended rows again', async () => {
    await parsed()
      .validate(stockSchema, { onBadRow: quarantine(path) })
      .toArray()
    writeFileSync(path, readFileSync(path, 'utf8').replace('-7', '7'))
    const still = quarantine(`${path}.still`)
    const rows = pipeline(replay(path, { schema: own })).validate(stockSchema, { onBadRow: still })
    expect(await rows.toArray()).toEqual([{ sku: 'A-2', stock: 7, colour: 'none' }])
    path = still.path
    expect(records()).toMatchObject([
      { row: 3, line: 4, code: 'CELL_INVALID', text: 'A-3\tmany\n' },
    ])
  })
})

describe('what a schema may be and give', () => {
  test('a function with the property, and issues of a subclass of Array, as ArkType has them', async () => {
    class Issues extends Array<{ message: string; path: PropertyKey[] }> {
      constructor(context: object) {
        if (typeof context !== 'object') throw new TypeError('no context')
        super()
      }
      readonly issues = this
    }
    const issues = new Issues({})
    issues.push({ message: 'is wrong', path: ['tags', 0, Symbol('s')] })
    const schema = Object.assign(
      () => {},
      made(() => issues),
    )
    expect((await failureOf(pipeline([7]).validate(schema).toArray())).context).toEqual({
      column: 'tags',
      reason: 'tags.0.Symbol(s): is wrong',
    })
  })

  test('a method that needs its object, and paths of objects with keys, as Valibot has them', async () => {
    const schema = {
      '~standard': {
        version: 1 as const,
        vendor: 'made',
        message: 'mine',
        validate(_: unknown) {
          return { issues: [{ message: this.message, path: [{ key: 'stock', value: 1 }] }] }
        },
      },
    }
    const { context } = await failureOf(pipeline([7]).validate(schema).toArray())
    expect(context).toEqual({ column: 'stock', reason: 'stock: mine' })
  })

  test('issues without end are cut', async () => {
    const issue = { message: 'm'.repeat(1e6), path: Array(1e5).fill('p'.repeat(100)) }
    const { message, context } = await failureOf(
      parsed()
        .validate(made(() => ({ issues: Array(1e5).fill(issue) })))
        .toArray(),
    )
    expect(message).toMatch(/^row 1, line 2, byte 10: p{100}\.p{58}…; p.*; 99995 more issues$/)
    expect(message.length).toBeLessThan(900)
    expect((context as { column: string }).column).toHaveLength(80)
  })

  test('undefined and null are values', async () => {
    const schema = made(value => ({ value: value === 1 ? undefined : null, issues: undefined }))
    expect(
      await pipeline([[1, 2]])
        .validate(schema)
        .toArray(),
    ).toEqual([undefined, null])
  })

  const cause = new RangeError('mine')
  test.each<[string, Validate, string]>([
    [
      'throws',
      () => {
        throw cause
      },
      'mine',
    ],
    ['rejects', () => Promise.reject(cause), 'mine'],
    ['gives nothing', () => undefined as never, 'Cannot read properties of undefined'],
    ['gives issues that are no list', () => ({ issues: 7 }) as never, 'is not iterable'],
  ])('a schema that %s is STAGE_FAILED with the position of the row', async (_, fails, message) => {
    const rows = parsed().validate(
      made(value => ((value as { stock: number }).stock < 0 ? fails(value) : { value })),
      { onBadRow: () => {} },
    )
    const failure = await failureOf(rows.toArray())
    expect(failure).toMatchObject({
      code: 'STAGE_FAILED',
      context: { stage: 'validate', row: 2, line: 3, byteOffset: 17 },
    })
    expect(failure.message).toMatch(/^validate: row 2, line 3, byte 17: /)
    expect(failure.message).toContain(message)
    if (message === 'mine') expect(failure.cause).toBe(cause)
  })

  test('a FeedError that a schema throws keeps its code', async () => {
    const error = new FeedError('STATE_MISSING', 'mine', { path: 'p' })
    const schema = made(() => Promise.reject(error))
    expect(await failureOf(parsed().validate(schema).toArray())).toBe(error)
  })
})

describe('a call that cannot be right is OPTION_INVALID', () => {
  const good = made(value => ({ value }))
  const { '~standard': standard } = good
  test.each<[string, unknown]>([
    ['nothing', undefined],
    ['a schema of feedmill', own],
    ['a function', () => true],
    ['version 2', { '~standard': { ...standard, version: 2 } }],
    ['no function to call', { '~standard': { ...standard, validate: 'yes' } }],
  ])('as schema: %s', (_, schema) => {
    expect(() => parsed().validate(schema as typeof good)).toThrow(
      expect.objectContaining({
        code: 'OPTION_INVALID',
        context: expect.objectContaining({ option: 'schema' }),
      }),
    )
  })

  test.each<[unknown, string]>([
    [{ onBadRow: 'null' }, 'onBadRow'],
    [{ onBadRow: {} }, 'onBadRow'],
    [{ onBadRow: null }, 'onBadRow'],
    [{ onBadCell: 'skip' }, 'onBadCell'],
    [7, 'options'],
  ])('as options: %j', (options, option) => {
    expect(() => parsed().validate(good, options as object)).toThrow(
      expect.objectContaining({
        code: 'OPTION_INVALID',
        context: expect.objectContaining({ option }),
      }),
    )
  })

  test('a quarantine of what are no whole rows, before the first of them is refused', async () => {
    const onBadRow = quarantine(path) as never
    const chosen = new TsvRowParser({ schema: own, columns: ['stock'] })
    for (const rows of [
      pipeline([FILE]).to(chosen).validate(good, { onBadRow }),
      pipeline([FILE]).to(new TsvObjectParser()).validate(good, { onBadRow }),
    ])
      expect(await failureOf(rows.toArray())).toMatchObject({
        code: 'OPTION_INVALID',
        context: { option: 'onBadRow' },
      })
    expect(existsSync(path)).toBe(false)
  })

  test('a quarantine in the file that a sink of the run writes', async () => {
    const run = parsed()
      .validate(
        made(value => ({ value: value as object })),
        { onBadRow: quarantine(path) },
      )
      .run(ndjsonSink(path))
    const failure = await failureOf(run)
    expect([failure.code, existsSync(path)]).toEqual(['OPTION_INVALID', false])
  })

  test('a promise of onBadRow', async () => {
    const onBadRow = (async () => {}) as never
    const schema = made(() => ({ issues: [] }))
    const { code, context } = await failureOf(parsed().validate(schema, { onBadRow }).toArray())
    expect([code, context]).toMatchObject(['OPTION_INVALID', { option: 'onBadRow()' }])
  })
})

test('a quarantine that cannot be written fails the run before its sink commits', async () => {
  const onBadRow = quarantine(join(folder, 'no', 'such'))
  const schema = made(() => ({ issues: [] }))
  const run = parsed().validate(schema, { onBadRow }).run(ndjsonSink(path))
  const { code, context } = await failureOf(run)
  expect([code, context]).toMatchObject(['SINK_FAILED', { sink: 'quarantine', reason: 'ENOENT' }])
  expect(existsSync(path)).toBe(false)
})

describe('every record is on the disk before the run settles', () => {
  const refused = 'B\t-4\n'.repeat(3000)
  const bytes = Buffer.from(`${HEADER}A\t1\n${refused}A\t2\n${refused}A\t3\n`)
  const ends = {
    well: rows => rows.toArray(),
    take: rows => rows.take(1).toArray(),
    break: async rows => {
      for await (const _ of rows) break
    },
    abort: (rows, abort) => rows.forEach(() => abort.abort()),
    'a later failure': rows => rows.map(() => Promise.reject(new RangeError('mine'))).toArray(),
  } satisfies Record<string, (rows: Checked, abort: AbortController) => Promise<unknown>>
  type Checked = ReturnType<typeof checked>
  const checked = (
    waits: readonly number[],
    onBadRow: Quarantine,
    options: { signal: AbortSignal; onSettled: () => void },
  ) =>
    pipeline([bytes], options)
      .to(new TsvRowParser({ schema: own }))
      .validate(notNegative(waits), { onBadRow })

  test.each(Object.keys(ends) as (keyof typeof ends)[])('%s', async way => {
    for (const waits of [[0], [0, 0, 0, 0, 0, 0, 0, 1]]) {
      rmSync(path, { force: true })
      const abort = new AbortController()
      let atSettled = -1
      const bad = quarantine(path)
      const onSettled = () => {
        atSettled = records().length
      }
      const rows = checked(waits, bad, { signal: abort.signal, onSettled })
      await ends[way](rows, abort).catch(() => {})
      await turn()
      expect(bad.rows).toBeGreaterThan(0)
      expect([atSettled, records().length]).toEqual([bad.rows, bad.rows])
      if (way === 'well') expect(atSettled).toBe(6000)
    }
  })
})

test('the next row waits until the quarantine has written the one before', async () => {
  const events: string[] = []
  const written = async (event: string) => {
    await turn()
    events.push(event)
  }
  const bad = {
    ...quarantine(path),
    take: () => void events.push('take'),
    settle: () => written('written'),
    flush: () => written('durable'),
  }
  const schema = made(() => ({ issues: [] }))
  await parsed().validate(schema, { onBadRow: bad }).toArray()
  const row = ['take', 'written']
  expect(events.slice(0, 7)).toEqual([...row, ...row, ...row, 'durable'])
})

test('an answer that comes behind an abort changes nothing', async () => {
  const abort = new AbortController()
  const bad = quarantine(path)
  let answer = (_: { issues: [] }) => {}
  const schema = made(
    () =>
      new Promise(resolve => {
        answer = resolve
      }),
  )
  const run = pipeline([FILE], { signal: abort.signal })
    .to(new TsvRowParser({ schema: own }))
    .validate(schema, { onBadRow: bad })
    .toArray()
  await turn()
  abort.abort()
  expect((await failureOf(run)).code).toBe('ABORTED')
  answer({ issues: [] })
  await turn()
  expect([bad.rows, existsSync(path)]).toEqual([0, false])
})
