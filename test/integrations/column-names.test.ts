// The names of columns in tables: headings that a database cannot have, and the option `rename`.
//
// Long: it loads DuckDB, and asks a server of PostgreSQL.

import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import {
  decimal,
  defineSchema,
  int32,
  pipeline,
  quarantine,
  replay,
  type SqliteSinkOptions,
  sqliteSink,
  TsvRowParser,
  text,
} from '../../src/index'
import { duckdbSink } from '../../src/integrations/duckdb'
import { postgresSink } from '../../src/integrations/postgres'
import { PLACES, type Place } from './table-places'

/** What the databases say about names, written down by hand. */
const caseless = (name: string) => name.replace(/[A-Z]/g, letter => letter.toLowerCase())
const MODELS: Readonly<Record<string, (name: string) => string | undefined>> = {
  SQLite: caseless,
  DuckDB: name => (name === '' ? undefined : caseless(name)),
  PostgreSQL: name =>
    name === '' ||
    Buffer.byteLength(name) > 63 ||
    ['ctid', 'xmin', 'xmax', 'cmin', 'cmax', 'tableoid'].includes(name)
      ? undefined
      : name,
}
const snake = (name: string) => name.replace(/([a-z0-9])(?=[A-Z])/g, '$1_').toLowerCase()

const HEADINGS = [
  ...[
    '',
    'price',
    'Price',
    'PRICE',
    'priceValue',
    'price_value',
    'ctid',
    'xmin',
    'tableoid',
    'oid',
  ],
  ...[
    'rowid',
    '_rowid_',
    'feedmill_place',
    'FEEDMILL_PLACE',
    'feedmill_arrived',
    'É',
    'é',
    'ı',
    'I',
  ],
  ...['k', '\u212a', 'x'.repeat(63), 'x'.repeat(64), 'é'.repeat(32), `${'x'.repeat(63)}y`, 'a b'],
  ...[
    'a;b',
    "it's",
    '%s',
    '$1',
    'constructor',
    '__proto__',
    'select',
    '日本',
    '0',
    '10',
    'excluded',
  ],
]
/** Names that meet often. */
const NEAR = ['price', 'Price', 'PRICE', 'É', 'é', 'priceValue', 'price_value']
const NAMES = [
  ...HEADINGS.filter(name => name !== ''),
  'a\0b',
  '\ud800',
  '"q"',
  'tab\tname',
  ' sp ',
]

const headingOf = fc.oneof(fc.constantFrom(...HEADINGS), fc.constantFrom(...NEAR))
const nameOf = fc.oneof(fc.constantFrom(...NAMES), fc.constantFrom(...NEAR))

/** Sinks that check their names at the call, because a schema says them. */
const SINKS: Readonly<Record<string, (options: SqliteSinkOptions) => unknown>> = {
  SQLite: options => sqliteSink('t.sqlite', options),
  DuckDB: options => duckdbSink('t.duckdb', options),
  PostgreSQL: options => postgresSink('postgres://db.example/shop', options),
}

test.each(Object.keys(SINKS))(
  'fault 140: %s takes the names of a schema where it can have them all, and no others',
  database => {
    const names = fc.uniqueArray(headingOf, {
      minLength: 1,
      maxLength: 5,
      selector: name => name.trim().toLowerCase(),
    })
    const renames = fc.array(fc.option(nameOf, { freq: 1 }), { maxLength: 5 })
    fc.assert(
      fc.property(names, renames, (headings, renames) => {
        const pairs = headings.flatMap((heading, n) =>
          renames[n] == null ? [] : [[heading, renames[n]] as const],
        )
        const rename = Object.fromEntries(pairs)
        const columns = Object.fromEntries(headings.map(heading => [heading, text()]))
        const folded = headings.map(heading => {
          const own = database === 'PostgreSQL' ? snake(heading) : heading
          const name = new Map(pairs).get(heading) ?? own
          return /[\0\ud800]/.test(name) ? undefined : MODELS[database]!(name)
        })
        const isRefused = folded.includes(undefined) || new Set(folded).size < headings.length
        const make = () => SINKS[database]!({ table: 't', schema: { name: 's', columns }, rename })
        if (!isRefused) make()
        else expect(make).toThrow(expect.objectContaining({ code: 'OPTION_INVALID' }))
      }),
      { numRuns: 2_000 },
    )
  },
)

describe.each(PLACES)('the names of columns in %s', (database, isHere, openPlace) => {
  describe.runIf(isHere)('are checked before a table is made:', () => {
    let place: Place
    beforeAll(async () => {
      place = await openPlace()
    })
    afterAll(() => place.drop())
    beforeEach(() => place.run('DROP TABLE IF EXISTS t') as Promise<unknown>)

    const load = (lines: readonly string[], options: Partial<SqliteSinkOptions> = {}) =>
      pipeline([Buffer.from(`${lines.join('\n')}\n`)])
        .to(new TsvRowParser())
        .run(place.sink({ table: 't', ...options } as SqliteSinkOptions))
    const refused = async (run: Promise<unknown>, ...words: string[]) => {
      const error = await run.then(
        () => undefined,
        reason => reason,
      )
      expect(error).toMatchObject({ code: 'OPTION_INVALID', context: { option: 'rename' } })
      for (const word of words) expect(error.message).toContain(word)
      await expect(place.read('SELECT * FROM t')).rejects.toThrow(/\bt\b/)
    }

    test('fault 140: headings are columns of their own names, or refused before there is a table', async () => {
      const headings = fc.uniqueArray(headingOf, { minLength: 1, maxLength: 4 })
      const renames = fc.array(fc.option(nameOf, { freq: 1 }), { maxLength: 5 })
      const world = fc.record({ headings, renames, isKeyed: fc.boolean() })
      await fc.assert(
        fc.asyncProperty(world, async ({ headings, renames, isKeyed }) => {
          await place.run('DROP TABLE IF EXISTS t')
          const all = ['id', ...headings]
          const rename = Object.fromEntries(
            all.flatMap((heading, n) => (renames[n] == null ? [] : [[heading, renames[n]]])),
          )
          const names = all.map(heading =>
            Object.hasOwn(rename, heading)
              ? rename[heading]!
              : database === 'PostgreSQL'
                ? snake(heading)
                : heading,
          )
          const options = {
            ...(isKeyed
              ? ({ mode: 'upsert', key: ['id'] } as const)
              : ({ mode: 'append' } as const)),
            ...(Object.keys(rename).length > 0 && { rename }),
          }
          const cells = (part: string) => all.map((_, n) => (n === 0 ? 'k' : `${part}${n}`))
          const run = (part: string) => load([all.join('\t'), cells(part).join('\t')], options)
          const folded = names.map(name =>
            /[\0\ud800]/.test(name) ? undefined : MODELS[database]!(name),
          )
          if (folded.includes(undefined) || new Set(folded).size < names.length)
            return refused(run('a'), 'the option rename')
          // The second run finds the table.
          for (const part of ['a', 'b']) await run(part)
          const read = await place.read('SELECT * FROM t')
          const rows = (isKeyed ? ['b'] : ['a', 'b']).map(part => {
            const row = cells(part)
            return names.map((name, n) => [name, row[n]!]).sort()
          })
          expect(read.map(row => Object.entries(row).sort()).sort()).toEqual(rows)
        }),
        { numRuns: 25 },
      )
    }, 120_000)

    test('fault 140: both headings stand in the message, with the cure', async () => {
      const cure = 'give it another name in the option rename'
      await refused(load(['Price\tprice', '1\t2'], { rename: { Price: 'price' } }), '"Price"', cure)
      const two = database === 'PostgreSQL' ? ['priceValue', 'price_value'] : ['Price', 'price']
      await refused(load([two.join('\t'), '1\t2']), `"${two[0]}"`, `"${two[1]}"`, cure)
      if (database !== 'SQLite') await refused(load(['a\tb\t', '1\t2\t']), 'heading ""', 'empty')
    })

    test('fault 140: rename swaps names, renames a key, and finds its table again', async () => {
      const options = { mode: 'upsert', key: ['a'], rename: { a: 'b', b: 'a' } } as const
      await load(['a\tb\tc', '1\tx\t'], options)
      await load(['c\tb\ta', 'new\ty\t1', '\tz\t2'], options)
      expect(await place.read('SELECT a, b, c FROM t ORDER BY b')).toEqual([
        { a: 'y', b: '1', c: 'new' },
        { a: 'z', b: '2', c: null },
      ])
      expect(await place.required()).toEqual(['b'])
    })

    test('fault 140: a name of rename is taken as it is, into a table of somebody else too', async () => {
      await place.run('CREATE TABLE t ("theKey" TEXT PRIMARY KEY, "The Price" TEXT)')
      const rename = { id: 'theKey', price: 'The Price' }
      for (const price of ['1', '2'])
        await load(['id\tprice', `k\t${price}`], { mode: 'upsert', key: ['id'], rename })
      expect(await place.read('SELECT * FROM t')).toEqual([{ theKey: 'k', 'The Price': '2' }])
      await expect(
        load(['id\tprice', 'k\t1'], { mode: 'append', rename: { id: 'theKey ' } }),
      ).rejects.toMatchObject({ code: 'STATE_FOREIGN' })
    })

    test('fault 140: rename holds for plain objects, batches of columns and replayed rows', async () => {
      const schema = defineSchema({
        name: 's',
        columns: { id: int32(), price: decimal({ scale: 2 }) },
      })
      const rename = { price: 'cost', id: 'n' }
      const folder = await mkdtemp(join(tmpdir(), 'feedmill-rename-'))
      const path = join(folder, 'bad.ndjson')
      const file = [Buffer.from('id\tprice\n1\t1.50\n2\tcheap\n')]
      await pipeline(file)
        .to(new TsvRowParser({ schema, onBadRow: 'throw' }))
        .run(place.sink({ table: 't', schema, rename, onBadCell: quarantine(path) }) as never)
      const more = { table: 't', schema, rename, mode: 'append' } as const
      await pipeline([[{ id: 3, price: '3.25' }]]).run(place.sink(more))
      await pipeline(replay(path, {})).run(place.sink({ ...more, onBadCell: 'null' } as never))
      expect(
        await place.read(
          'SELECT CAST(n AS VARCHAR(9)) AS n, CAST(cost AS VARCHAR(9)) AS cost FROM t ORDER BY 1',
        ),
      ).toEqual([
        { n: '1', cost: '1.50' },
        { n: '2', cost: null },
        { n: '3', cost: '3.25' },
      ])
      await rm(folder, { recursive: true })
    })

    test.each<[string, object]>([
      ['an unknown heading', { none: 'x' }],
      ['a heading in two spellings', { id: 'x', ID: 'y' }],
      ['the same name twice', { id: 'x', price: 'x' }],
      ['the name of another column', { id: 'price' }],
      ['an empty name', { id: '' }],
      ['no name', { id: 1 }],
      ['a list', ['x']],
      ['a NUL', { id: 'a\0' }],
      ['half a character', { id: 'a\udc00' }],
    ])(
      'fault 140: rename with %s is refused at the call where a schema names the columns',
      (_, rename) => {
        const schema = defineSchema({ name: 's', columns: { id: text(), price: text() } })
        expect(() => place.sink({ table: 't', schema, rename: rename as never })).toThrow(
          expect.objectContaining({ code: 'OPTION_INVALID' }),
        )
      },
    )

    test('fault 140: the table of a run may have the name of a table of ours', async () => {
      const options = { mode: 'upsert', key: ['id'] } as const
      for (const title of ['one', 'two'])
        await pipeline([Buffer.from(`id\ttitle\n1\t${title}\n`)])
          .to(new TsvRowParser())
          .run(place.sink({ table: 'feedmill_arrived', ...options }))
      const read = await place.read('SELECT id, title FROM feedmill_arrived')
      expect(read).toEqual([{ id: '1', title: 'two' }])
    })
  })
})
