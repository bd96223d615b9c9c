// The ingestion of a stranger: an empty folder with the installed package and a package for SQLite,
// a feed of its own with a decoder of its own, a generator, a Transform of Node, and calls that run
// sixteen at a time, into a table of SQLite. Everything is typed strictly. test/package.test.ts
// packs and installs the package, and runs these tests.

import { execFile } from 'node:child_process'
import { cp, mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { gzipSync } from 'node:zlib'
import ts from 'typescript'
import { afterAll, beforeAll, expect, test } from 'vitest'

const run = promisify(execFile)
const ROOT = resolve(import.meta.dirname, '..')
const OFFERS = 1_000

const INGEST = `
import { Transform } from 'node:stream'
import { setTimeout } from 'node:timers/promises'
import sqlite from 'node-sqlite3-wasm'
import {
  cell, decimal, defineSchema, FileSource, Gunzip, oneOf, pipeline, type RowBatch, type Sink, text, TsvRowParser,
} from 'feedmill'

interface Size { readonly width: number; readonly height: number }

function size(cellText: string): Size {
  const [width, height] = cellText.split('x').map(Number)
  if (width === undefined || height === undefined) throw new RangeError('not a size such as 2x3')
  return { width, height }
}

const schema = defineSchema({
  name: 'offers',
  columns: {
    sku: text({ required: true, notNull: true }),
    price: decimal(),
    colour: oneOf('red', 'green'),
    size: cell(size, { empty: null }),
  },
})
type Offers = RowBatch<(typeof schema)['columns']>

interface Offer { readonly sku: string; readonly area: number; readonly colour: 'red' | 'green' | null }
interface Numbered extends Offer { readonly number: number }

/** Leaves out the offers without a size. */
async function* withArea(batches: AsyncIterable<Offers>): AsyncGenerator<Offer[]> {
  for await (const batch of batches) {
    const offers: Offer[] = []
    for (const row of batch) {
      const found = row.get('size')
      if (found !== null)
        offers.push({ sku: row.get('sku'), area: found.width * found.height, colour: row.get('colour') })
    }
    yield offers
  }
}

function numbering(): Transform {
  let number = 0
  return new Transform({
    objectMode: true,
    transform(offers: readonly Offer[], _encoding, done) {
      done(null, offers.map(offer => ({ ...offer, number: number++ })))
    },
  })
}

let running = 0
let most = 0
async function priced(offer: Numbered): Promise<Numbered & { readonly stock: number }> {
  most = Math.max(most, ++running)
  await setTimeout(1 + (offer.number % 5))
  running--
  return { ...offer, stock: offer.number % 7 }
}

const database = new sqlite.Database('offers.db')
database.exec('create table offers (sku text primary key, number integer, area real, colour text, stock integer)')
const insert = database.prepare('insert into offers values (?, ?, ?, ?, ?)')
const table: Sink<readonly Awaited<ReturnType<typeof priced>>[]> = {
  name: 'offers',
  open: () => database.exec('begin'),
  write(offers) {
    for (const { sku, number, area, colour, stock } of offers) insert.run([sku, number, area, colour, stock])
  },
  commit: () => database.exec('commit'),
  abort: () => database.exec('rollback'),
}

const items = () =>
  pipeline(() => new FileSource('offers.tsv.gz'))
    .to(() => new Gunzip())
    .to(() => new TsvRowParser({ schema }))
const { stages } = await items().to(withArea).to<Numbered[]>(numbering).mapAsync(priced, { concurrency: 16 }).run(table)
const rows = database.all('select * from offers order by number')
insert.finalize()
database.close()
console.log(JSON.stringify({ rows, most, stages: stages.map(({ stage }) => stage) }))

// What must not compile. The function is never called.
export function wrong() {
  // @ts-expect-error the schema has no such column
  items().map(row => row.get('weight'))
  // @ts-expect-error no offer has this colour
  items().filter(row => row.get('colour') === 'blue')
  // @ts-expect-error a column that was left out
  pipeline([Buffer.of()]).to(new TsvRowParser({ schema, columns: ['sku'] })).map(row => row.get('price'))
  // @ts-expect-error the generator takes batches of rows
  pipeline([1, 2]).to(withArea)
  // @ts-expect-error the table takes priced offers
  items().to(withArea).run(table)
}
`

/** @param packages the folder of an installed package with what comes with it */
export function testProjectOfStranger(packages: () => string): void {
  let folder: string
  const offerOf = (n: number) => ({
    sku: `A-${n}`,
    colour: n % 3 === 0 ? '' : n % 3 === 1 ? 'red' : 'green',
    size: n % 10 === 9 ? '' : `${n % 8}x${n % 5}`,
  })

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'feedmill-stranger-'))
    const modules = join(folder, 'node_modules')
    await cp(packages(), modules, { recursive: true })
    for (const name of ['node-sqlite3-wasm', '@types/node', 'undici-types']) {
      await mkdir(dirname(join(modules, name)), { recursive: true })
      await symlink(join(ROOT, 'node_modules', name), join(modules, name))
    }
    await writeFile(join(folder, 'package.json'), '{"type":"module"}')
    const lines = Array.from({ length: OFFERS }, (_, n) => {
      const { sku, colour, size } = offerOf(n)
      return `${sku}\t${n}.50\t${colour}\t${size}\n`
    })
    const file = gzipSync(`sku\tprice\tcolour\tsize\n${lines.join('')}`)
    await writeFile(join(folder, 'offers.tsv.gz'), file)
    await writeFile(join(folder, 'ingest.ts'), INGEST)
  }, 60_000)
  afterAll(() => rm(folder, { recursive: true, force: true }))

  test('The program compiles strictly, and every wrong use in it is a compile error.', () => {
    const program = ts.createProgram([join(folder, 'ingest.ts')], {
      strict: true,
      exactOptionalPropertyTypes: true,
      noUncheckedIndexedAccess: true,
      module: ts.ModuleKind.NodeNext,
      target: ts.ScriptTarget.ES2022,
      lib: ['lib.es2023.d.ts'],
      types: ['node'],
      typeRoots: [join(folder, 'node_modules/@types')],
      outDir: folder,
      preserveSymlinks: true,
    })
    const found = ts.getPreEmitDiagnostics(program)
    expect(
      found.map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, '\n')),
    ).toEqual([])
    program.emit()
  }, 120_000)

  test('The program fills its table, with sixteen calls at a time.', async () => {
    const { stdout } = await run('node', ['ingest.js'], { cwd: folder })
    const { rows, most, stages } = JSON.parse(stdout)
    const expected = Array.from({ length: OFFERS }, (_, n) => ({ n, ...offerOf(n) }))
      .filter(({ size }) => size !== '')
      .map(({ n, sku, colour }, number) => ({
        sku,
        number,
        area: (n % 8) * (n % 5),
        colour: colour === '' ? null : colour,
        stock: number % 7,
      }))
    expect(rows).toEqual(expected)
    expect(most).toBe(16)
    expect(stages).toEqual([
      'FileSource',
      'Gunzip',
      'TsvRowParser',
      'withArea',
      'numbering',
      'mapAsync',
    ])
    expect((await readFile(join(folder, 'offers.db'))).subarray(0, 15).toString()).toBe(
      'SQLite format 3',
    )
  }, 60_000)
}
