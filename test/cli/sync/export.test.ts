import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { pathToFileURL } from 'node:url'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { exportCommand } from '../../../src/cli/sync/export'
import type { ExportCommand } from '../../../src/cli/sync/state-commands'
import { syncCommand } from '../../../src/cli/sync/sync'
import { runsWith } from '../../tools'
import { outcomeOf, served } from '../served'

let at: Awaited<ReturnType<typeof served>>
const twoCategories = { seed: 5, items: 80, hours: 4, churn: 40, categories: ['220', '267'] }
beforeAll(async () => {
  at = await served({ world: twoCategories })
  await outcomeOf(() => syncCommand({ ...at.command, category: ['220', '267'], keepFiles: 1e9 }))
})
afterAll(() => at.close())

const out = () => join(at.folder, 'out')
const run = (options: Partial<ExportCommand> = {}) =>
  outcomeOf(() =>
    exportCommand({
      state: at.command.state,
      category: [],
      format: 'ndjson',
      out: out(),
      ...options,
    }),
  )
const lines = () => readFileSync(out(), 'utf8').trimEnd().split('\n')
const itemsOf = (text: readonly string[]) =>
  text.map(line => JSON.parse(line) as Record<string, unknown>)
const truth = (time: string, categoryId = '220') =>
  Array.from(at.emulator.world.truthAt(new Date(time), { categoryId }), ({ itemId, cells }) => {
    return {
      itemId,
      title: cells[at.emulator.world.itemColumns.indexOf('title')],
      price: cells[at.emulator.world.itemColumns.indexOf('priceValue')],
    }
  })
const told = (items: readonly Record<string, unknown>[]) =>
  items.map(({ itemId, title, priceValue }) => ({ itemId, title, price: priceValue }))

describe('feedmill export', () => {
  test('writes the items of every category in key order, typed, with group and priority', async () => {
    expect((await run()).error).toBeUndefined()
    const items = itemsOf(lines())
    expect(told(items)).toEqual([
      ...truth('2026-03-01T04:00:00Z'),
      ...truth('2026-03-01T04:00:00Z', '267'),
    ])
    expect(
      items.some(({ group }) => typeof (group as { title?: unknown } | null)?.title === 'string'),
    ).toBe(true)
    expect(items.some(({ priority }) => priority !== null)).toBe(true)
  })

  test('writes one category, with the same bytes each time', async () => {
    await run({ category: ['267'] })
    const first = lines()
    expect(told(itemsOf(first))).toEqual(truth('2026-03-01T04:00:00Z', '267'))
    await run({ category: ['267'] })
    expect(lines()).toEqual(first)
  })

  test.runIf(runsWith('mkfifo'))(
    'fault 122: a FIFO without a reader leaves every signal to the system until it has one',
    async () => {
      const fifo = join(at.folder, 'fifo')
      execFileSync('mkfifo', [fifo])
      const listeners = () => process.listenerCount('SIGTERM')
      const before = listeners()
      const exporting = run({ out: fifo })
      await setTimeout(50)
      expect(listeners()).toBe(before)
      const [read, { error }] = await Promise.all([readFile(fifo, 'utf8'), exporting])
      expect(error).toBeUndefined()
      await run()
      expect(read).toBe(readFileSync(out(), 'utf8'))
    },
  )

  test.each([
    ['2026-03-01T00:00:00Z', '2026-03-01T00:00:00Z'],
    ['2026-03-01T01:59:59.999Z', '2026-03-01T01:00:00Z'],
    ['2026-03-01T02:00:00Z', '2026-03-01T02:00:00Z'],
    ['2026-03-01T04:30:00Z', '2026-03-01T04:00:00Z'],
  ])('--as-of %s writes the state of %s', async (asOf, at) => {
    expect((await run({ asOf: new Date(asOf) })).error).toBeUndefined()
    expect(told(itemsOf(lines()))).toEqual([...truth(at), ...truth(at, '267')])
  })

  test.each(['2026-02-28T23:59:59.999Z', '2026-03-01T05:00:00Z'])(
    '--as-of %s is refused because it is before the kept files, and nothing is written',
    async asOf => {
      await run()
      const before = lines()
      expect((await run({ asOf: new Date(asOf) })).error).toMatchObject({
        code: 'STATE_HISTORY_MISSING',
      })
      expect(lines()).toEqual(before)
      // The state is free again, and as it was.
      expect((await run()).error).toBeUndefined()
      expect(lines()).toEqual(before)
    },
  )

  test('writes the documented columns as text in CSV', async () => {
    await run({ format: 'csv', category: ['220'] })
    const [header, ...rows] = readFileSync(out(), 'utf8').trimEnd().split('\r\n')
    expect(header).toMatch(/^itemId,availability,title,/)
    expect(rows.map(row => row.slice(0, row.indexOf(',')))).toEqual(
      truth('2026-03-01T04:00:00Z').map(({ itemId }) => itemId),
    )
  })

  test('refuses a category that the folder does not have', async () => {
    expect((await run({ category: ['1'] })).error).toMatchObject({
      code: 'OPTION_INVALID',
      context: { option: 'category', expected: 'one of 220, 267' },
    })
  })
})

describe('feedmill export --schema', () => {
  const source = pathToFileURL(join(import.meta.dirname, '../../../src/index.ts')).href
  /** Each file has a name of its own, because Node loads a module once. */
  let files = 0
  const file = (extension: string, content: string) => {
    const path = join(at.folder, `schema-${files++}${extension}`)
    writeFileSync(path, content)
    return path
  }
  const json = (columns: object) => file('.json', JSON.stringify({ name: 'own', columns }))
  const firstTruth = () => truth('2026-03-01T04:00:00Z')

  test('writes the columns of the schema and no others, renamed and typed', async () => {
    const schema = json({
      id: { type: 'text', aliases: ['ITEMID'], required: true, notNull: true },
      price: { type: 'float64', aliases: ['priceValue'] },
      priceCurrency: { type: 'text' },
    })
    expect((await run({ schema, category: ['220'] })).error).toBeUndefined()
    const items = itemsOf(lines())
    expect(items.map(({ id, price }) => ({ id, price }))).toEqual(
      firstTruth().map(({ itemId, price }) => ({ id: itemId, price: Number(price) })),
    )
    expect(items.every(item => Object.keys(item).join() === 'id,price,priceCurrency')).toBe(true)
  })

  test('writes the values of functions of the caller, in NDJSON and as cells of CSV', async () => {
    const schema = file(
      '.mjs',
      `import { cell, defineSchema } from '${source}'
       export default defineSchema({ name: 'own', columns: {
         title: cell(title => title.split(' ').length),
         words: cell(id => ({ id, parts: id.split('|') }), { aliases: ['itemId'] }),
       } })`,
    )
    await run({ schema, category: ['220'] })
    const expected = firstTruth().map(({ itemId, title }) => ({
      title: String(title).split(' ').length,
      words: { id: itemId, parts: itemId.split('|') },
    }))
    expect(itemsOf(lines())).toEqual(expected)
    await run({ schema, category: ['220'], format: 'csv' })
    const [header, first] = readFileSync(out(), 'utf8').split('\r\n')
    expect(header).toBe('title,words')
    const { title, words } = expected[0]!
    expect(first).toBe(`${title},"${JSON.stringify(words).replaceAll('"', '""')}"`)
  })

  test('reads an earlier state too', async () => {
    const schema = json({ itemId: { type: 'text' } })
    await run({ schema, asOf: new Date('2026-03-01T01:00:00Z') })
    expect(itemsOf(lines())).toEqual(
      [...truth('2026-03-01T01:00:00Z'), ...truth('2026-03-01T01:00:00Z', '267')].map(
        ({ itemId }) => ({ itemId }),
      ),
    )
  })

  test('fault 105: writes the text of a cell that is not of its type, and names the first one', async () => {
    const schema = json({ title: { type: 'int32' } })
    const { error, err } = await run({ schema, category: ['220'] })
    const titles = truth('2026-03-01T04:00:00Z').map(({ title }) => title)
    expect([error, err.length]).toEqual([undefined, 1])
    expect(err[0]).toMatch(
      /^feedmill: \d+ cells .* the first: item v1\|\S+ in the file item(_snapshot)? [-\dT:.Z]+: title: not readable as int32: .*\(row \d+, line \d+, byte \d+\)$/,
    )
    expect(itemsOf(lines())).toEqual(titles.map(title => ({ title: null, invalid: { title } })))
    await run({ schema, category: ['220'], format: 'csv' })
    expect(lines()).toHaveLength(titles.length + 1)
    expect(lines()[1]!.trimEnd()).toBe(titles[0])
  })

  test('refuses columns that no item has, and writes nothing', async () => {
    rmSync(out(), { force: true })
    const schema = json({
      itemId: { type: 'text' },
      titel: { type: 'text' },
      // The documents have this column, and the files do not.
      lastMileTrackingNumber: { type: 'text', aliases: ['gtin'] },
    })
    expect((await run({ schema })).error).toMatchObject({
      code: 'OPTION_INVALID',
      context: { option: '--schema', received: 'titel' },
    })
    expect(existsSync(out())).toBe(false)
  })

  test('refuses a required column that the file of an item lacks', async () => {
    const { error } = await run({ schema: json({ sku: { type: 'text', required: true } }) })
    expect(error).toMatchObject({
      code: 'TSV_COLUMN_MISSING',
      context: { row: 0, line: 1, byteOffset: 0, column: 'sku' },
    })
  })

  test('refuses a file that is no schema before the state is opened', async () => {
    const { error } = await run({ schema: file('.json', '[]'), state: join(at.folder, 'none') })
    expect(error).toMatchObject({ code: 'OPTION_INVALID', context: { option: '--schema' } })
  })
})
