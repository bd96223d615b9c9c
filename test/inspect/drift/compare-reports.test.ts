import { describe, expect, test } from 'vitest'
import { date, defineSchema, type FeedSchema, int32, text } from '../../../src/index'
import { compareReports, type InspectReport, inspect } from '../../../src/inspect'
import {
  COLUMN_RULES,
  FILE_RULES,
  LOST_RULES,
  NEW_RULES,
} from '../../../src/inspect/drift/drift-rules'

const schema = defineSchema({
  name: 'stock',
  columns: { id: text(), colour: text({ aliases: ['color'] }), stock: int32(), day: date() },
})
const otherTypes = defineSchema({
  name: 'stock',
  columns: { id: text(), colour: text(), stock: text(), day: date() },
})
const COLOURS = ['red', 'green', 'blue', 'black', 'white', 'grey', 'brown']

type Cells = Record<string, (n: number) => string>

const usual: Cells = {
  id: n => `id-${n}`,
  colour: n => COLOURS[n % COLOURS.length]!,
  stock: n => `${n % 10}`,
  day: n => `2026-03-0${1 + (n % 9)}`,
}

/** A report of `rows` rows. `changed` replaces columns, an undefined one is left out. */
function reportOf(
  changed: Record<string, Cells[string] | undefined> = {},
  { rows = 200, extra = '', as = schema as FeedSchema } = {},
): Promise<InspectReport> {
  const columns = Object.entries({ ...usual, ...changed }).filter(([, cell]) => cell !== undefined)
  const lines = Array.from({ length: rows }, (_, n) =>
    columns.map(([, cell]) => cell!(n)).join('\t'),
  )
  const content = `${columns.map(([name]) => name).join('\t')}\n${lines.map(line => `${line}\n`).join('')}${extra}`
  return inspect([Buffer.from(content)], { schema: as })
}

async function driftOf(before: Promise<InspectReport>, after: Promise<InspectReport>) {
  return compareReports(await before, await after).map(
    ({ severity, rule, column }) => `${severity} ${rule} ${column ?? 'file'}`,
  )
}

/** Each rule with a file that it finds, and nothing else finds. */
const CASES: Record<
  string,
  [before: () => Promise<InspectReport>, after: () => Promise<InspectReport>, drift: string[]]
> = {
  unreadable: [
    () => reportOf(),
    () => inspect([Buffer.from('')], { schema }),
    ['breaks unreadable file', 'breaks rows-lost file'],
  ],
  'bad-rows-up': [
    () => reportOf(),
    () => reportOf({}, { extra: 'one cell\n' }),
    ['breaks bad-rows-up file'],
  ],
  'rows-lost': [() => reportOf(), () => reportOf({}, { rows: 99 }), ['breaks rows-lost file']],
  'rows-changed': [
    () => reportOf(),
    () => reportOf({}, { rows: 250 }),
    ['notice rows-changed file'],
  ],
  'order-changed': [
    () => reportOf(),
    () => reportOf({ id: undefined, last: usual.id }).then(report => renamed(report, 'last', 'id')),
    ['notice order-changed file'],
  ],
  'column-lost': [
    () => reportOf(),
    () => reportOf({ colour: undefined }),
    ['breaks column-lost colour'],
  ],
  'empty-column-lost': [
    () => reportOf({ spare: () => '' }),
    () => reportOf(),
    ['notice empty-column-lost spare'],
  ],
  'column-new': [
    () => reportOf(),
    () => reportOf({ spare: () => '1' }),
    ['notice column-new spare'],
  ],
  'type-changed': [
    () => reportOf(),
    () => reportOf({}, { as: otherTypes }),
    ['breaks type-changed stock'],
  ],
  'invalid-up': [
    () => reportOf(),
    () => reportOf({ stock: n => (n === 7 ? 'many' : `${n % 10}`) }),
    ['breaks invalid-up stock'],
  ],
  'heading-changed': [
    () => reportOf({ colour: undefined, color: usual.colour }).then(ordered),
    () => reportOf().then(ordered),
    ['notice heading-changed colour'],
  ],
  'empty-up': [
    () => reportOf(),
    () => reportOf({ colour: n => (n % 3 === 0 ? '' : COLOURS[n % 7]!) }),
    ['breaks empty-up colour'],
  ],
  'empty-changed': [
    () => reportOf(),
    () => reportOf({ colour: n => (n % 10 === 0 ? '' : COLOURS[n % 7]!) }),
    ['notice empty-changed colour'],
  ],
  'key-lost': [
    () => reportOf(),
    () => reportOf({ id: n => `id-${n % 150}` }),
    ['breaks key-lost id'],
  ],
  'distinct-collapsed': [
    () => reportOf(),
    () => reportOf({ colour: () => 'red' }),
    ['breaks distinct-collapsed colour'],
  ],
  'distinct-down': [
    () => reportOf(),
    () => reportOf({ colour: n => COLOURS[n % 3]! }),
    ['notice distinct-down colour'],
  ],
  'range-shifted': [
    () => reportOf(),
    () => reportOf({ day: n => `2027-03-0${1 + (n % 9)}` }),
    ['notice range-shifted day'],
  ],
}

function renamed(report: InspectReport, from: string, to: string): InspectReport {
  const columns = report.columns.map(column =>
    column.name === from ? { ...column, name: to, heading: to } : column,
  )
  return { ...report, columns }
}

/** The report with its columns in the order of their names. */
function ordered(report: InspectReport): InspectReport {
  return { ...report, columns: report.columns.toSorted((a, b) => (a.name < b.name ? -1 : 1)) }
}

describe('each rule', () => {
  test.each(Object.entries(CASES))('%s', async (_, [before, after, drift]) => {
    expect(await driftOf(before(), after())).toEqual(drift)
  })

  test('has a case, and no two have one name', () => {
    const names = [...FILE_RULES, ...LOST_RULES, ...NEW_RULES, ...COLUMN_RULES].map(
      ({ name }) => name,
    )
    expect(new Set(names).size).toBe(names.length)
    expect(names.toSorted()).toEqual(Object.keys(CASES).toSorted())
  })
})

test('a column that has become empty breaks, whatever its share was', async () => {
  const sparse = reportOf({ colour: n => (n === 0 ? 'red' : '') })
  expect(await driftOf(sparse, reportOf({ colour: () => '' }))).toEqual(['breaks empty-up colour'])
})

test('equal files, and files without rows, have no drift', async () => {
  expect(await driftOf(reportOf(), reportOf())).toEqual([])
  expect(await driftOf(reportOf({}, { rows: 0 }), reportOf({}, { rows: 0 }))).toEqual([])
})

test('a finding shows what was and what is', async () => {
  const [found] = compareReports(await reportOf(), await reportOf({}, { rows: 50 }))
  expect(found).toEqual({
    rule: 'rows-lost',
    severity: 'breaks',
    column: null,
    before: '200',
    after: '50',
  })
})

test('a value that is no report is refused, and so is one of another schema', async () => {
  const report = await reportOf()
  for (const wrong of [null, 7, [], {}, { ...report, version: 2 }, { ...report, columns: [{}] }])
    expect(() => compareReports(wrong as never, report)).toThrow(
      expect.objectContaining({
        code: 'OPTION_INVALID',
        context: expect.objectContaining({ option: 'before' }),
      }),
    )
  expect(() => compareReports(report, { ...report, schema: 'item' })).toThrow('stock')
})
