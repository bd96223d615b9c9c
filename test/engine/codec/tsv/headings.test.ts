// Which heading of a file a column of the schema has, where several may be meant: a table, and
// random headers and schemas against the rule as it is written, by every way to read a file.

import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { FeedError } from '../../../../src/engine/errors'
import { pipeline } from '../../../../src/engine/pipeline/pipeline'
import { text } from '../../../../src/engine/schema/column-kinds'
import { type Columns, defineSchema } from '../../../../src/engine/schema/feed-schema'
import { TsvColumnParser } from '../../../../src/engine/stages/tsv-column-parser'
import { TsvObjectParser } from '../../../../src/engine/stages/tsv-object-parser'
import { TsvRowParser } from '../../../../src/engine/stages/tsv-row-parser'
import { inspect } from '../../../../src/inspect/inspect'

const schemaOf = (aliases: Readonly<Record<string, readonly string[]>>) =>
  defineSchema<Columns>({
    name: 'own',
    columns: Object.fromEntries(
      Object.entries(aliases).map(([name, others]) => [name, text({ aliases: others })]),
    ),
  })
type Aliases = Parameters<typeof schemaOf>[0]

/** A file of one row, whose cells are the numbers of their columns. */
const fileOf = (headings: readonly string[]) =>
  Buffer.from(`${headings.join(',')}\n${headings.map((_, n) => `cell ${n}`).join(',')}\n`)

const dialect = { delimiter: ',', quoting: 'doubled' } as const

/** The cells by column, read in each of the ways, which have to be of one mind. */
async function cellsBy(aliases: Aliases, headings: readonly string[]): Promise<object> {
  const schema = schemaOf(aliases)
  const file = [fileOf(headings)]
  const [row] = await pipeline(file).to(new TsvRowParser({ schema, dialect })).toArray()
  const cells = row!.toObject() as Record<string, unknown>
  for (const [name, cell] of Object.entries(cells)) {
    const columns = [name]
    expect([row!.get(name), row!.text(name)]).toEqual([cell, cell ?? ''])
    const [alone] = await pipeline(file)
      .to(new TsvRowParser({ schema, dialect, columns }))
      .toArray()
    expect(alone!.toObject()).toEqual({ [name]: cell })
    const objects = new TsvObjectParser({ schema, dialect, columns })
    expect(await pipeline(file).to(objects).toArray()).toEqual([{ [name]: cell }])
  }
  const objects = await pipeline(file).to(new TsvObjectParser({ schema, dialect })).toArray()
  const columns = await pipeline(file).to(new TsvColumnParser({ schema, dialect })).toArray()
  expect([objects, columns]).toEqual([[cells], [cells]])
  const report = await inspect(file, { schema, dialect })
  expect(report.columns.map(({ name }) => name)).toEqual([
    ...row!.batch.header.columns.map(({ name }) => name),
  ])
  return cells
}

const TABLE: readonly [headings: string, aliases: Aliases, columns: string][] = [
  ['ID,id', { id: [] }, 'ID,id'],
  ['id,ID', { id: [] }, 'id,ID'],
  ['ID,Id', { id: [] }, 'id,Id'],
  [' id ,id', { id: [] }, ' id ,id'],
  ['ID, id ,id', { id: [] }, 'ID, id ,id'],
  ['id,id', { id: [] }, 'id,id#2'],
  ['ID,ID', { id: [] }, 'id,ID#2'],
  ['ID,id,ID,id', { id: [] }, 'ID,id,ID#2,id#2'],
  ['sku,id', { id: ['sku'] }, 'sku,id'],
  ['sku,ID', { id: ['sku'] }, 'sku,id'],
  ['sku,article', { id: ['article', 'sku'] }, 'sku,id'],
  ['SKU,sku', { id: ['sku'] }, 'id,sku'],
  ['sku,sku', { id: ['sku'] }, 'id,sku#2'],
  ['sku', { id: ['article', 'sku'] }, 'id'],
  ['ID,id,Name,NAME', { id: [], name: [] }, 'ID,id,name,NAME'],
  ['a,a,a#2', { 'a#2': [] }, 'a,a#3,a#2'],
  ['x,x,id', { id: [] }, 'x,x#2,id'],
]

describe('fault 134: headings that compete for one column', () => {
  test.each(TABLE)('An exact name comes first: %s for %o', async (line, aliases, names) => {
    const headings = line.split(',')
    const columns = names.split(',')
    expect(await cellsBy(aliases, headings)).toEqual(
      Object.fromEntries(columns.map((name, n) => [name, `cell ${n}`])),
    )
  })

  test('a required column that a heading repeats is refused, whatever its case', () => {
    const schema = defineSchema({
      name: 'own',
      columns: { id: text({ required: true, aliases: ['sku'] }) },
    })
    const endOf = (line: string) =>
      pipeline([fileOf(line.split(','))])
        .to(new TsvRowParser({ schema, dialect }))
        .toArray()
        .then(
          ([row]) => row!.get('id'),
          (error: FeedError) => error.code,
        )
    return Promise.all(
      ['id,id', 'ID,id', 'id, id ', 'sku,SKU', 'sku,id', 'ID,sku'].map(endOf),
    ).then(ends =>
      expect(ends).toEqual([...Array(4).fill('TSV_COLUMN_REPEATED'), 'cell 1', 'cell 0']),
    )
  })

  test('random headings and schemas against the rule', async () => {
    const spelling = fc.constantFrom('a', 'A', ' a', 'b', 'B', 'b ', 'c', 'C', 'd', 'a#2', 'A#2')
    const anyAliases = fc
      .tuple(fc.shuffledSubarray(['b', 'C', 'd', 'a#2']), fc.nat(4), fc.boolean())
      .map(
        ([others, cut, hasSecond]): Aliases => ({
          a: others.slice(0, cut),
          ...(hasSecond && { e: others.slice(cut) }),
        }),
      )
    const headings = fc.array(spelling, { minLength: 1, maxLength: 6 })
    await fc.assert(
      fc.asyncProperty(anyAliases, headings, async (aliases, names) => {
        const expected = byTheRule(aliases, names)
        let cells: object
        try {
          cells = await cellsBy(aliases, names)
        } catch (error) {
          // No heading is in the schema.
          expect(FeedError.is(error) && error.code).toBe('TSV_HEADER_INVALID')
          expect(Object.keys(aliases).every(name => expected[name] === null)).toBe(true)
          return
        }
        expect(cells).toEqual(expected)
      }),
      { numRuns: 200 },
    )
  })
})

/** The rule as its sentence has it, one column after the other. */
function byTheRule(aliases: Aliases, headings: readonly string[]): Record<string, string | null> {
  const plain = (name: string) => name.trim().toLowerCase()
  const winners = new Map<number, string>()
  const columns: Record<string, string | null> = {}
  for (const [name, others] of Object.entries(aliases)) {
    const tries = [
      (heading: string) => heading === name,
      ...[name, ...others].map(each => (heading: string) => plain(heading) === plain(each)),
    ]
    const place = tries.map(fits => headings.findIndex(fits)).find(found => found >= 0)
    columns[name] = place === undefined ? null : `cell ${place}`
    if (place !== undefined) winners.set(place, name)
  }
  const taken = new Set([...winners].flatMap(([place, name]) => [name, headings[place]!]))
  headings.forEach((heading, n) => {
    if (winners.has(n)) return
    let name = heading
    for (let copy = 2; taken.has(name); copy++) name = `${heading}#${copy}`
    taken.add(name)
    columns[name] = `cell ${n}`
  })
  return columns
}
