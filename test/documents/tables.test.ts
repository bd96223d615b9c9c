// The tables of the pages in fixtures/documents/ say what the data beside them says, and what the
// sources do.

import { describe, expect, test } from 'vitest'
import { createEmulator } from '../../src/emulator'
import { componentSchemas } from '../../src/emulator/openapi/schemas'
import type { ColumnSpec } from '../../src/engine/schema/column-spec'
import type { Columns } from '../../src/engine/schema/feed-schema'
import {
  itemGroupColumns,
  itemPriorityColumns,
  itemSnapshotColumns,
} from '../../src/engine/schema/feed-schemas'
import { documentedItemColumns, itemColumns } from '../../src/engine/schema/item-columns'
import { documentedErrors } from '../../src/service/documented-errors'
import {
  OPERATIONS,
  type OperationName,
  USER_SUBSCRIPTION_SCOPE,
} from '../../src/service/operations'
import { defineProfile } from '../../src/service/profile'
import { calendarLimits } from '../../src/sync/plan/calendar-files'
import {
  dataOf,
  PAGES,
  type Page,
  sectionNumbers,
  type TableRow,
  tableIn,
  tablesIn,
  textOf,
  withoutMarks,
} from './pages'

interface OpenApi {
  readonly paths: Record<string, Record<string, Operation>>
}

interface Operation {
  readonly operationId: string
  readonly parameters?: readonly {
    readonly name: string
    readonly in: string
    readonly required: boolean
  }[]
}

const SERVICE = { baseUrl: 'https://a.test', tokenUrl: 'https://a.test/token', scopeBase: 's' }
const profile = defineProfile(SERVICE)

/** A column as a table shows it: its name here, and what its cells are read as. */
const readAs = ({ Column, 'Read as': type }: TableRow) => [
  Column === 'the service' ? 'gtin' : Column,
  type,
]
/** The documents name a list by its separator. */
const LISTS: Record<string, string> = { ',': 'commaList', '|': 'pipeList' }
const typeOf = ({ type, separator = '' }: ColumnSpec) => LISTS[separator] ?? type
const typesOf = (columns: Columns) =>
  Object.entries(columns).map(([name, spec]) => [name, typeOf(spec)])
const namesFrom = (columns: Columns, ...sources: string[]) =>
  Object.keys(columns).filter(name => sources.includes(columns[name]!.source ?? ''))
const columnNames = (page: Page, section: string) =>
  tableIn(page, section).map(({ Column }) => Column!)

describe.each(PAGES)('%s', page => {
  test('sections are numbered without a gap, and every heading has its number', () => {
    const numbers = sectionNumbers(page)
    expect(numbers.length).toBeGreaterThan(6)
    expect(textOf(page).match(/^#{2,} /gm)).toHaveLength(numbers.length)
    let previous = [0, 0]
    for (const number of numbers) {
      const [chapter = 0, section = 0] = number.split('.').map(Number)
      const [chapterBefore = 0, sectionBefore = 0] = previous
      expect([chapter, section]).toEqual(
        section === 0 ? [chapterBefore + 1, 0] : [chapterBefore, sectionBefore + 1],
      )
      previous = [chapter, section]
    }
  })

  test('every table has whole rows', () => {
    const rows = sectionNumbers(page).flatMap(number => tablesIn(page, number).flat())
    expect(rows.length).toBeGreaterThan(20)
    const lines = textOf(page)
      .split('\n')
      .filter(line => line.startsWith('|'))
    for (const line of lines) expect(line).toMatch(/^\|.*\|$/)
  })
})

describe('columns', () => {
  const documented = tableIn('item-feeds.md', '2.2')
  const further = tableIn('service-notes.md', '6.3')

  test('of the item feed: the data, and the schema', () => {
    expect(documented.map(({ Column, Type }) => ({ column: Column, type: Type }))).toEqual(
      dataOf('item-columns.tsv'),
    )
    expect(documented.map(readAs)).toEqual(typesOf(documentedItemColumns))
  })

  test('of the item feed: those that end', () => {
    const ending = documented.filter(({ Ends }) => Ends === 'yes').map(({ Column }) => Column)
    const columns: Columns = itemColumns
    expect(ending).toEqual(
      Object.keys(columns).filter(name => columns[name]!.deprecated !== undefined),
    )
    expect(documented.filter(({ Ends }) => Ends !== 'yes' && Ends !== '')).toEqual([])
  })

  test('further ones of the item feed: the data, and the schema', () => {
    expect(further.map(({ Column }) => ({ column: Column }))).toEqual(
      dataOf('item-columns-of-the-notes.tsv'),
    )
    expect([...documented, ...further].map(readAs)).toEqual(typesOf(itemColumns))
  })

  test('of the item group feed', () => {
    expect(tableIn('service-notes.md', '6.4').map(readAs)).toEqual(typesOf(itemGroupColumns))
    expect(columnNames('item-feeds.md', '2.6')).toEqual(
      namesFrom(itemGroupColumns, 'item-feeds.md, section 2.6'),
    )
  })

  test('of the item snapshot feed', () => {
    const own = namesFrom(itemSnapshotColumns, 'item-feeds.md, section 2.7')
    expect(columnNames('item-feeds.md', '2.7')).toEqual(['itemId', 'availability', ...own])
    const noted = tableIn('service-notes.md', '6.5')
    const columns: Columns = itemSnapshotColumns
    for (const { Column, ...row } of noted) expect(row['Read as']).toBe(typeOf(columns[Column!]!))
    const first = noted.filter(({ Place }) => Place !== 'any')
    expect(first.map(({ Column, Place }) => [Column, Place])).toEqual(
      ['itemId', 'availability', 'title', 'imageUrl'].map((name, n) => [name, String(n + 1)]),
    )
    expect(Object.keys(columns).slice(0, first.length)).toEqual(first.map(({ Column }) => Column))
    const rest = noted.filter(({ Place }) => Place === 'any').map(({ Column }) => Column)
    const sources = ['item-feeds.md, section 2.7', 'service-notes.md, section 6.5']
    expect(rest.toSorted()).toEqual(namesFrom(columns, ...sources).toSorted())
  })

  test('of the item priority feed', () => {
    expect(tableIn('service-notes.md', '6.6').map(readAs)).toEqual(typesOf(itemPriorityColumns))
  })

  test('each stands in the table of the section that is its source', () => {
    const schemas: Columns[] = [
      itemColumns,
      itemGroupColumns,
      itemSnapshotColumns,
      itemPriorityColumns,
    ]
    for (const [name, { source }] of schemas.flatMap(columns => Object.entries(columns))) {
      const [, page, section] = /^(.+), section (.+)$/.exec(source ?? '')!
      expect(tableIn(page as Page, section!).map(row => readAs(row)[0])).toContain(name)
    }
  })
})

describe('errors', () => {
  const SECTIONS: [Page, string][] = [
    ['feed-file-catalog.md', '6'],
    ['item-feeds.md', '5'],
    ['signing-keys-and-subscriptions.md', '7'],
    ['service-notes.md', '4.1'],
    ['service-notes.md', '4.2'],
  ]

  test('the tables are the rows of errors.tsv, one by one', () => {
    const rows = SECTIONS.flatMap(([page, section]) =>
      tableIn(page, section).map(({ Code, Status, Domain, Category, Operations, Condition }) => ({
        source: `${page}, section ${section}`,
        operations: Operations,
        status: Status,
        code: Code,
        domain: Domain,
        category: Category,
        condition: Condition,
      })),
    )
    expect(rows).toHaveLength(8 + 22 + 14 + 8 + 3)
    expect(rows).toEqual(dataOf('errors.tsv'))
  })

  test('each source of an error is one of these sections', () => {
    const sources = new Set(documentedErrors.map(({ source }) => source))
    expect([...sources].filter(source => source !== 'implied')).toEqual(
      SECTIONS.map(([page, section]) => `${page}, section ${section}`),
    )
  })

  test('statuses of errors of keys and subscriptions are among those of their operations', () => {
    for (const { Operation, Statuses } of tableIn('signing-keys-and-subscriptions.md', '2.1')) {
      const statuses = documentedErrors
        .filter(({ operation, source }) => operation === Operation && source.startsWith('signing'))
        .map(({ status }) => String(status))
      const success = Operation === 'createSubscription' ? '201' : '200'
      expect(Statuses!.split(', ')).toEqual([success, ...new Set(statuses.toSorted())])
    }
  })
})

describe('operations', () => {
  const tables = [
    ...tableIn('feed-file-catalog.md', '2.1'),
    ...tableIn('item-feeds.md', '3.1'),
    ...tableIn('signing-keys-and-subscriptions.md', '2.1'),
  ]

  test('methods and paths', () => {
    const address = (name: OperationName) =>
      `${profile[OPERATIONS[name].base]}${OPERATIONS[name].path}`
    const names = Object.keys(OPERATIONS) as OperationName[]
    expect(
      tables.map(({ Operation, Method, Path }) => [Operation, Method, withoutMarks(Path)]),
    ).toEqual(
      names.map(name => [
        name,
        OPERATIONS[name].method,
        address(name).slice(SERVICE.baseUrl.length),
      ]),
    )
  })

  test('the catalog again, where its paths and scopes are given', () => {
    const given = tableIn('service-notes.md', '3.1')
    const shown = tableIn('feed-file-catalog.md', '2.1')
    expect(given.map(({ Operation, Method, Path }) => [Operation, Method, Path])).toEqual(
      shown.map(({ Operation, Method, Path }) => [Operation, Method, Path]),
    )
    expect(new Set(shown.map(row => row['Path stated']))).toEqual(new Set(['yes', 'no']))
  })

  test('the feeds have the operations of their sections', () => {
    const listed = tableIn('item-feeds.md', '1').map(({ Operation }) => Operation)
    expect(listed).toEqual(tableIn('item-feeds.md', '3.1').map(({ Operation }) => Operation))
  })

  test('scopes', () => {
    const rows = [
      ...tableIn('feed-file-catalog.md', '5'),
      ...tableIn('service-notes.md', '3.1'),
      ...tableIn('item-feeds.md', '4'),
      ...tableIn('signing-keys-and-subscriptions.md', '5'),
    ]
    const scopeOf = (operation: string) => {
      const [name = '', whose] = operation.split(', for ')
      return whose === 'a user' ? USER_SUBSCRIPTION_SCOPE : OPERATIONS[name as OperationName].scope
    }
    const catalog = tableIn('feed-file-catalog.md', '2.1').map(({ Operation }) => Operation)
    const feeds = tableIn('item-feeds.md', '3.1').map(({ Operation }) => Operation)
    const others = [
      'getSigningKey',
      'createSubscription, for the application',
      'createSubscription, for a user',
    ]
    expect(rows.map(({ Operation }) => Operation)).toEqual([
      'downloadFile',
      ...catalog,
      ...feeds,
      ...others,
    ])
    expect(rows.map(({ Scope }) => withoutMarks(Scope))).toEqual(
      rows.map(({ Operation }) => `{scope_base}/${scopeOf(Operation!)}`),
    )
  })
})

describe('parameters, as the emulated service describes them', async () => {
  const emulator = createEmulator({ world: { seed: 1, items: 1 } })
  const described = (await (
    await emulator.fetch('http://service.test/openapi.json')
  ).json()) as OpenApi
  const operations = Object.values(described.paths).flatMap(methods => Object.values(methods))

  /** A header that every operation has, and that OpenAPI leaves to its security and bodies. */
  const ofHttp = new Set(['Accept', 'Authorization', 'Content-Type'])
  const headers = tableIn('item-feeds.md', '3.2')
  const shared = (operation: string) => {
    const { Range } = tableIn('item-feeds.md', '3.1').find(
      ({ Operation }) => Operation === operation,
    )!
    return headers.map(row =>
      row.Header === '`Range`' ? { ...row, Required: Range === 'required' ? 'yes' : 'no' } : row,
    )
  }

  test.each([
    ['getFeedTypes', tableIn('feed-file-catalog.md', '2.3'), []],
    ['getFiles', tableIn('feed-file-catalog.md', '2.5'), ['continuation_token']],
    ['getFile', tableIn('feed-file-catalog.md', '2.6'), []],
    ['downloadFile', tableIn('feed-file-catalog.md', '2.7'), []],
    ['getItemFeed', [...shared('getItemFeed'), ...tableIn('item-feeds.md', '3.3')], []],
    ['getItemGroupFeed', [...shared('getItemGroupFeed'), ...tableIn('item-feeds.md', '3.4')], []],
    [
      'getItemSnapshotFeed',
      [...shared('getItemSnapshotFeed'), ...tableIn('item-feeds.md', '3.5')],
      [],
    ],
    [
      'getItemPriorityFeed',
      [...shared('getItemPriorityFeed'), ...tableIn('item-feeds.md', '3.6')],
      [],
    ],
    ['getSigningKey', tableIn('signing-keys-and-subscriptions.md', '2.2'), []],
    ['createSubscription', tableIn('signing-keys-and-subscriptions.md', '2.3'), []],
  ] as [string, TableRow[], string[]][])('%s', (operation, table, ofTheNotes) => {
    const { parameters = [] } = operations.find(({ operationId }) => operationId === operation)!
    const rows = table
      .map(row => ({
        ...row,
        name: withoutMarks(row.Parameter ?? row.Header).replace('look-back', 'look_back'),
      }))
      .filter(({ name }) => !ofHttp.has(name))
    expect([...rows.map(({ name }) => name), ...ofTheNotes].toSorted()).toEqual(
      parameters.map(({ name }) => name).toSorted(),
    )
    for (const row of rows as (TableRow & { name: string })[]) {
      const parameter = parameters.find(({ name }) => name === row.name)!
      if (row.In !== undefined) expect(row.In).toBe(parameter.in)
      if (row.Required !== 'not stated') expect(row.Required === 'yes').toBe(parameter.required)
    }
  })
})

describe('limits', () => {
  const sandbox = defineProfile({ ...SERVICE, sandbox: true })
  const held: Readonly<Record<string, unknown>> = {
    'profile maxRangeBytes': profile.maxRangeBytes,
    'sandbox maxRangeBytes': sandbox.maxRangeBytes,
    ...Object.fromEntries(
      Object.entries(profile.limits).map(([name, value]) => [`profile limits.${name}`, value]),
    ),
    ...Object.fromEntries(
      Object.entries(calendarLimits()).map(([name, value]) => [`calendar ${name}`, value]),
    ),
  }
  const rows = [...tableIn('item-feeds.md', '6'), ...tableIn('service-notes.md', '3.2')].flatMap(
    row =>
      row
        .Setting!.split(', ')
        .filter(setting => setting !== '')
        .map(setting => [setting, numberIn(row.Value!)] as const),
  )

  test.each(rows)('%s is %i', (setting, value) => {
    expect(held[setting]).toBe(value)
  })

  test('every setting has its line, but the one that follows from two others', () => {
    expect(Object.keys(held).filter(name => !rows.some(([setting]) => setting === name))).toEqual([
      'profile limits.dailyDays',
    ])
    const { dailyFilesKept } = calendarLimits()
    expect(profile.limits.dailyDays).toBe(dailyFilesKept + 3)
  })

  test('the defaults of the profile', () => {
    const shown: Record<string, unknown> = { ...profile }
    for (const { Option, Default } of tableIn('service-notes.md', '2')) {
      const option = withoutMarks(Option)
      expect(shown).toHaveProperty(option)
      if (option === 'paths') expect(Default).toBe('service-notes.md, section 3.1')
      else if (option === 'maxRangeBytes')
        expect([numberIn(Default!), numberIn(Default!.split('sandbox')[1]!)]).toEqual([1e8, 1e7])
      else if (Default !== '')
        expect(shown[option]).toBe(withoutMarks(Default).replace('{base_url}', SERVICE.baseUrl))
    }
  })
})

describe('fields of bodies', () => {
  test.each([
    ['feed-file-catalog.md', '3.1', 'FeedType'],
    ['feed-file-catalog.md', '3.2', 'SupportedFeed'],
    ['feed-file-catalog.md', '3.3', 'SupportedSchema'],
    ['feed-file-catalog.md', '3.4', 'TimeDuration'],
    ['feed-file-catalog.md', '3.5', 'FeedTypeConstraint'],
    ['feed-file-catalog.md', '3.6', 'FileMetadata'],
    ['feed-file-catalog.md', '3.7', 'Dimension'],
    ['feed-file-catalog.md', '3.8', 'FeedTypeSearchResponse'],
    ['feed-file-catalog.md', '3.9', 'FileMetadataSearchResponse'],
    ['feed-file-catalog.md', '3.10', 'Error'],
    ['item-feeds.md', '2.9', 'Error'],
    ['signing-keys-and-subscriptions.md', '3.1', 'SigningKey'],
    ['signing-keys-and-subscriptions.md', '3.2', 'SubscriptionRequest'],
    ['signing-keys-and-subscriptions.md', '3.3', 'SubscriptionPayload'],
  ] as const)('%s, section %s: %s', (page, section, component) => {
    const fields = tableIn(page, section)
      .map(({ Field }) => Field)
      // Only createSigningKey returns it.
      .filter(field => field !== 'privateKey')
    expect(fields).toEqual(Object.keys(componentSchemas()[component]!.properties as object))
  })
})

/** `100 MB`, `14 days ago`, `2`: MB are decimal. */
function numberIn(text: string): number {
  const [, digits, unit] = /(\d+)( MB)?/.exec(text) ?? []
  return Number(digits) * (unit === undefined ? 1 : 1_000_000)
}
