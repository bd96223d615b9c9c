import { createHash } from 'node:crypto'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { Ajv } from 'ajv'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Dialect, defineSchema, FeedError, int64, oneOf, text } from '../../../src/index'
import { bucketFiles } from '../../../src/s3'
import { type FeedSource, openState, readFeedFile, replayIntoState, sync } from '../../../src/sync'

let folder: string
let fresh = 0
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'feedmill-feed-file-'))
})
afterAll(() => rmSync(folder, { recursive: true }))

const LITERAL_OF_TOKEN = '$' + '{FEED_TOKEN}'
const LITERAL_OF_SALT = '$' + '{FEED_SALT}'
const VARIABLES = new Map([
  ['FEED_TOKEN', 'the-token-of-a-user'],
  ['FEED_SALT', 'pepper'],
])
const variable = (name: string) => VARIABLES.get(name)

function fileOf(content: unknown): string {
  const path = join(folder, `feed-${fresh++}.json`)
  writeFileSync(path, typeof content === 'string' ? content : JSON.stringify(content, null, 2))
  return path
}

const read = (content: unknown) => readFeedFile(fileOf(content), { variable, bucketFiles })

/** Returns what the message says behind the path of the file. */
async function refusal(content: unknown): Promise<string> {
  const path = fileOf(content)
  const error = await readFeedFile(path, { variable, bucketFiles }).catch(thrown => thrown)
  if (!FeedError.is(error)) return expect.fail(`${JSON.stringify(content)} gave ${error}`)
  expect([error.code, error.message.slice(0, path.length)]).toEqual(['OPTION_INVALID', path])
  expect(error.message).not.toContain('\n')
  return error.message.slice(path.length)
}

const SMALL = {
  name: 'stock',
  columns: { sku: { type: 'text' }, stock: { type: 'int32' }, status: { type: 'text' } },
  key: 'sku',
  files: { folder: 'exports', full: 'full-*' },
}

describe('a mistake has its place', () => {
  test.each([
    ['no JSON', '{\n  "name": stock\n}', ':2:11: no JSON: here must be a value'],
    ['a comma too many', '{\n  "name": "a",\n}', ':3:1: no JSON: here must be a name in double'],
    ['a comma too few', '{"name": "a" "key": "b"}', ':1:14: no JSON: here must be a comma or }'],
    ['the end in an array', '[1, 2', ':1:6: no JSON: here must be a comma or ]'],
    ['no colon', '{"name"}', ':1:8: no JSON: here must be a colon'],
    ['more behind it', '{} {}', ':1:4: no JSON: here must be the end'],
    ['a name twice', '{"name": "a",\n "name": "b"}', ':2:8: no JSON: here must be a name that'],
    ['a number with a zero', '{"name": 01}', ':1:11: no JSON: here must be a comma or }'],
    ['an escape', '{"name": "\\x"}', ':1:10: no JSON: here must be a value'],
    ['too deep', '['.repeat(70), ':1:66: no JSON: here must be no deeper level'],
    ['nothing', '', ':1:1: no JSON: here must be a value'],
    ['a list', '[]', ':1:1: the feed must be an object, not an array'],
    ['null', 'null', ':1:1: the feed must be an object, not null'],
    [
      'an unknown part',
      { ...SMALL, keys: 'a' },
      ':19:11: keys is not an option: did you mean key?',
    ],
    ['no key', { ...SMALL, key: undefined }, ':1:1: key must be text that is not empty'],
    ['another name', { ...SMALL, name: 'a b' }, ':2:11: name must be at most 64 letters'],
    ['an unknown key', { ...SMALL, key: 'id' }, ':14:10: key must be a column of the schema'],
    ['a key of numbers', { ...SMALL, key: 'stock' }, ':14:10: key must be a column of the schema'],
    ['a version of text', { ...SMALL, version: 'status' }, ':19:14: version must be a column'],
    [
      'a wrong kind',
      { ...SMALL, columns: { sku: { type: 'string' } } },
      ":5:15: columns.sku.type must be 'text' or",
    ],
    [
      'a part of another kind',
      { ...SMALL, columns: { sku: { type: 'text', scale: 2 } } },
      ':6:16: columns.sku.scale must be left out',
    ],
    [
      'an unknown part of the dialect that is one of the feed',
      { ...SMALL, dialect: { name: 'x' } },
      ':20:13: name is not an option',
    ],
    [
      'a wrong delimiter',
      { ...SMALL, dialect: { delimiter: 'ab' } },
      ':20:18: dialect.delimiter must be one ASCII character',
    ],
    [
      'an unknown part of removed',
      { ...SMALL, removed: { column: 'status', equal: 'x' } },
      ':21:14: equal is not an option: did you mean equals?',
    ],
    [
      'removed without equals',
      { ...SMALL, removed: { column: 'status' } },
      ':19:14: removed.equals must be text',
    ],
    [
      'an unknown column of removed',
      { ...SMALL, removed: { column: 'state', equals: 'x' } },
      ':20:15: removed.column must be a column of columns',
    ],
    [
      'a dropped column of removed',
      { ...SMALL, drop: ['status'], removed: { column: 'status', equals: 'x' } },
      ':23:15: removed.column must be a column of columns that is neither',
    ],
    [
      'a hashed column of removed',
      { ...SMALL, hash: { columns: ['status'] }, removed: { column: 'status', equals: 'x' } },
      ':25:15: removed.column must be a column of columns that is neither',
    ],
    ['a dropped key', { ...SMALL, drop: ['sku'] }, ':14:10: key must be a column of the schema'],
    ['an unknown drop', { ...SMALL, drop: ['sku2'] }, ':20:5: drop[0] must be a column of columns'],
    ['drop as text', { ...SMALL, drop: 'stock' }, ':19:11: drop must be an array'],
    [
      'an unknown hash',
      { ...SMALL, hash: { columns: ['sku', 'mail'] } },
      ':22:7: hash.columns[1] must be a text column',
    ],
    [
      'a literal salt',
      { ...SMALL, hash: { columns: ['sku'], salt: 'pepper1' } },
      ':23:13: hash.salt may be a secret: write the name of a variable',
    ],
    ['a new name of an unknown column', { ...SMALL, rename: { a: 'b' } }, ':20:10: rename.a must'],
    ['one name for two', { ...SMALL, rename: { stock: 'sku' } }, ':19:13: rename must give each'],
    [
      'a name in another case for two',
      { ...SMALL, rename: { stock: 'SKU' } },
      ':19:13: columns.SKU must be spelt otherwise',
    ],
    ['files as a number', { ...SMALL, files: 3 }, ':15:12: files must be an object, not 3'],
    [
      'another address',
      { ...SMALL, files: 'ftp://a/b' },
      ':15:12: files must be the path of a file',
    ],
    [
      'a folder without patterns',
      { ...SMALL, files: { folder: 'a' } },
      ':15:12: full must be a pattern of names',
    ],
    [
      'a function of a folder',
      { ...SMALL, files: { folder: 'a', full: '*', timeOf: 'x' } },
      ':18:15: timeOf is not an option',
    ],
    [
      'a time without a zone',
      { ...SMALL, files: [{ id: 'a', from: 'a', kind: 'full', time: '2026-03-01' }] },
      ':20:15: files[0].time must be a time such as',
    ],
    [
      'another kind',
      { ...SMALL, files: [{ id: 'a', from: 'a', kind: 'all', time: '2026-03-01T00:00:00Z' }] },
      ":19:15: files[0].kind must be 'full' or 'changes'",
    ],
    ['headers as text', { ...SMALL, headers: 'abc' }, ':19:14: headers must be an object'],
    ['a header of a number', { ...SMALL, headers: { a: 1 } }, ':20:10: headers.a must be text'],
    [
      'a literal token',
      { ...SMALL, headers: { Authorization: 'Bearer 4711' } },
      ':20:22: headers.Authorization may be a secret: write the name of a variable',
    ],
    [
      'a literal token beside a variable',
      { ...SMALL, headers: { Authorization: `Bearer abcdefgh12345678 ${LITERAL_OF_TOKEN}` } },
      ':20:22: headers.Authorization may be a secret',
    ],
    [
      'a missing variable',
      { ...SMALL, headers: { Authorization: 'Bearer $' + '{NO_TOKEN}' } },
      ':20:22: headers.Authorization needs the variable NO_TOKEN of the environment',
    ],
    ['a header that HTTP has not', { ...SMALL, headers: { 'a b': LITERAL_OF_TOKEN } }, ':19:14: '],
  ])('%s', async (_, content, message) => {
    const told = await refusal(content)
    expect(told.slice(0, message.length)).toBe(message)
    for (const secret of ['4711', 'pepper', 'abcdefgh', ...VARIABLES.values()])
      expect(told).not.toContain(secret)
  })

  test('a file that is not there, and one that is too large', async () => {
    await expect(readFeedFile(join(folder, 'none.json'))).rejects.toMatchObject({
      code: 'OPTION_INVALID',
      message: expect.stringContaining('it cannot be read (ENOENT)'),
    })
    expect(await refusal(' '.repeat(2 ** 20 + 1))).toContain('larger than 1048576 bytes')
  })
})

test('the feed of the guide is read', async () => {
  const guide = readFileSync(join(ROOT, 'src/guide/follow-own-feed.md'), 'utf8')
  const feed = JSON.parse(/```json\n(.*?)```/s.exec(guide)![1]!)
  expect(isOfSchema(feed)).toBe(true)
  const source = await read(feed)
  expect(Object.keys(source.schema.columns)).toEqual(['sku', 'price', 'status', 'phone', 'updated'])
  expect(source).toMatchObject({ key: 'sku', hash: { columns: ['phone'], salt: 'pepper' } })
})

test('headers have the values of their variables', async () => {
  const headers = { Authorization: `Bearer ${LITERAL_OF_TOKEN}`, accept: 'text/csv; charset=utf-8' }
  const source = await read({ ...SMALL, files: 'https://a.example/b?sig=c', headers })
  expect(source.headers).toEqual({
    Authorization: 'Bearer the-token-of-a-user',
    accept: 'text/csv; charset=utf-8',
  })
  expect(String(source.files)).toBe('https://a.example/b?sig=c')
})

test('relative paths begin at the folder of the file', async () => {
  const time = '2026-03-01T01:00:00+01:00'
  const files = ['a.csv', '/b.csv', 'https://c.example/c.csv'].map((from, n) => {
    return { id: `${n}`, from, kind: 'changes', time }
  })
  const source = await read({ ...SMALL, files })
  expect(source.files).toMatchObject([
    { from: join(folder, 'a.csv'), time: new Date('2026-03-01T00:00:00Z') },
    { from: resolve('/b.csv') },
    { from: 'https://c.example/c.csv' },
  ])
})

test('a file without the column of removed is refused', async () => {
  const place = join(folder, 'lacking')
  mkdirSync(place)
  writeFileSync(join(place, 'full'), 'sku\tstock\nA\t1\n')
  const parts = { files: { folder: place, full: '*' }, removed: { column: 'status', equals: '' } }
  const run = sync({ source: await read({ ...SMALL, ...parts }), folder: join(folder, 'lack') })
  await expect(run.summary).rejects.toThrow('the header has no column status')
})

test('no file of a state has a cell that is dropped or hashed', async () => {
  const place = join(folder, 'secrets')
  mkdirSync(place)
  const columns = { sku: 'text', stock: 'int32', mail: 'text', phone: 'int64' }
  const bad = 'B\tmany\tsecret-mail\t4711-4711\tsecret-note\n\tx\tsecret-mail\tsecret\tsecret\n'
  const row = 'A\t1\tsecret-mail\t4711-4711\tsecret-note\n'
  writeFileSync(join(place, 'full'), `sku\tstock\tmail\tphone\tsecret-column\n${row}`)
  writeFileSync(
    join(place, 'more'),
    `sku\tstock\tmail\tphone\tsecret-column\n${row}${bad}C\tsecret\n`,
  )
  const at = (minute: number) => `2026-03-01T00:0${minute}:00Z`
  const source = await read({
    name: 'stock',
    columns: Object.fromEntries(Object.entries(columns).map(([name, type]) => [name, { type }])),
    key: 'sku',
    drop: ['mail'],
    hash: { columns: ['phone'] },
    files: [
      { id: '1', kind: 'full', from: join(place, 'full'), time: at(1) },
      { id: '2', kind: 'changes', from: join(place, 'more'), time: at(2) },
    ],
  })
  const state = join(folder, 'without-secrets')
  const events: unknown[] = []
  const run = sync({ source, folder: state, changes: 'files', changeRows: 'both' })
  for await (const event of run) events.push(event)
  expect(await run.summary).toMatchObject({ files: 2, rowsKept: 3, rowsLeftOut: 2, badCells: 1 })
  expect(JSON.stringify(events)).not.toMatch(/secret|4711/)
  const files = readdirSync(state, { recursive: true, withFileTypes: true })
  const texts = files
    .filter(entry => entry.isFile())
    .map(entry => readFileSync(join(entry.parentPath, entry.name), 'latin1'))
  expect(texts.join()).toContain(createHash('sha256').update('4711-4711').digest('hex'))
  expect(texts.join()).not.toMatch(/secret|4711-/)
})

describe('a feed that does not store all of its file', () => {
  const source = async () => read({ ...SMALL, drop: ['status'] })

  test.each([
    [{ quarantine: 'files' }, 'quarantine'],
    [{ keepFileBytes: 1 }, 'keepFileBytes'],
  ] as const)('refuses %j', async (options, option) => {
    const own = await source()
    expect(() => sync({ source: own, folder: join(folder, 'never'), ...options })).toThrow(
      expect.objectContaining({
        code: 'OPTION_INVALID',
        context: expect.objectContaining({ option }),
      }),
    )
  })

  test('refuses a replay', async () => {
    const options = { source: await source(), folder: join(folder, 'never'), files: ['a'] }
    await expect(replayIntoState(options)).rejects.toMatchObject({
      code: 'OPTION_INVALID',
      context: { option: 'files' },
    })
  })
})

// A random feed in JSON against one in code, whose files are those of the first with other names of
// columns, without those that are dropped, and with hashes.

interface RandomRow {
  readonly sku: string
  readonly revision: number
  readonly status: string
  readonly mail: string
  readonly extra: string
}
const NAMES = ['sku', 'revision', 'status', 'mail', 'extra'] as const
type Name = (typeof NAMES)[number]

const row: fc.Arbitrary<RandomRow> = fc.record({
  sku: fc.constantFrom('a', 'b', 'c', '007', 'é'),
  revision: fc.integer({ min: 1, max: 4 }),
  status: fc.constantFrom('', 'ok', 'gone'),
  mail: fc.constantFrom('', 'a@x', 'say "b", c', 'ü'),
  extra: fc.constantFrom('', 'x'),
})
const feeds = fc.record({
  hasVersion: fc.boolean(),
  removal: fc.option(fc.constantFrom('', 'gone'), { nil: undefined }),
  dialect: fc.constantFrom<(Dialect | undefined)[]>(
    undefined,
    { delimiter: ',', quoting: 'doubled' },
    { delimiter: ';', quoting: 'backslash', comment: '#' },
    { delimiter: ',', quoting: 'doubled', header: [...NAMES] },
  ),
  rename: fc.dictionary(
    fc.constantFrom<Name[]>('sku', 'revision', 'status', 'mail'),
    fc.constant(''),
  ),
  drop: fc.option(fc.constantFrom<Name[][]>([], ['mail'], ['extra']), { nil: undefined }),
  hash: fc.option(
    fc.record({ columns: fc.subarray<Name>(['sku', 'mail']), salted: fc.boolean() }),
    {
      nil: undefined,
    },
  ),
  files: fc.array(fc.record({ isFull: fc.boolean(), rows: fc.array(row, { maxLength: 5 }) }), {
    minLength: 1,
    maxLength: 4,
  }),
})

const CODE_DIALECT: Dialect = { delimiter: '|', quoting: 'doubled' }

function fileText(
  headings: readonly string[],
  rows: readonly string[][],
  dialect: Dialect,
): string {
  const { delimiter = '\t', quoting = 'backslash', header = true, comment } = dialect
  const escaped = quoting === 'doubled' ? '""' : '\\"'
  const line = (cells: readonly string[]) =>
    cells.map(cell => `"${cell.replaceAll('"', escaped)}"`).join(delimiter)
  const before = comment === undefined ? [] : [`${comment} made today`]
  return [...before, ...(header === true ? [line(headings)] : []), ...rows.map(line), ''].join('\n')
}

async function rowsOf(source: FeedSource): Promise<Record<string, string>[]> {
  const state = join(folder, `state-${fresh++}`)
  const { failed } = await sync({ source, folder: state, maxRemovedShare: 1 }).summary
  expect(failed).toEqual([])
  const opened = await openState(state)
  const rows: Record<string, string>[] = []
  for await (const block of opened.feed(source).rows())
    for (const each of block) rows.push({ ...each.toStrings() })
  await opened.close()
  return rows
}

test('a random feed in JSON gives the state of the one in code', async () => {
  await fc.assert(
    fc.asyncProperty(
      feeds,
      async ({ hasVersion, removal, dialect, drop, hash, files, ...rest }) => {
        const place = join(folder, `files-${fresh++}`)
        mkdirSync(join(place, 'exports'), { recursive: true })
        const renamed = Object.keys(rest.rename).filter(name => !drop?.includes(name as Name))
        const storedName = (name: string) => (renamed.includes(name) ? `the_${name}` : name)
        // The schema has no column extra, which is in the files.
        const isListed = drop?.includes('extra') === true
        const isStored = (name: Name) =>
          !drop?.includes(name) && (name !== 'extra' || (drop === undefined && hash === undefined))
        const hashed = hash?.columns.filter(name => !drop?.includes(name)) ?? []
        const salt = hash?.salted ? 'pepper' : ''
        const stored = NAMES.filter(isStored)
        const storedCell = (name: Name, cell: string) =>
          hashed.includes(name) && cell !== ''
            ? createHash('sha256')
                .update(salt + cell)
                .digest('hex')
            : cell
        const times = files.map((_, n) => new Date(Date.UTC(2026, 2, 1 + n)))
        const listed = files.map(({ isFull, rows }, n) => {
          const cells = rows.map(each => NAMES.map(name => String(each[name])))
          writeFileSync(join(place, `exports/${n}`), fileText(NAMES, cells, dialect ?? {}))
          const plain = rows.map(each => stored.map(name => storedCell(name, String(each[name]))))
          const from = join(place, `${n}.txt`)
          writeFileSync(from, fileText(stored.map(storedName), plain, CODE_DIALECT))
          return { id: `${n}`, from, kind: isFull ? ('full' as const) : ('changes' as const) }
        })
        const inJson = {
          $schema: 'feed.schema.json',
          name: 'random',
          columns: {
            sku: { type: 'text', notNull: true },
            revision: { type: 'int64' },
            status: { type: 'oneOf', values: ['ok', 'gone'] },
            mail: { type: 'text' },
            ...(isListed && { extra: { type: 'text' } }),
          },
          ...(dialect && { dialect }),
          key: 'sku',
          ...(hasVersion && { version: 'revision' }),
          ...(removal !== undefined && { removed: { column: 'status', equals: removal } }),
          rename: Object.fromEntries(renamed.map(name => [name, storedName(name)])),
          ...(drop && { drop }),
          ...(hash && { hash: { columns: hashed, ...(salt && { salt: LITERAL_OF_SALT }) } }),
          files: listed.map(({ id, kind }, n) => ({
            id,
            kind,
            from: `exports/${n}`,
            time: times[n]!.toISOString(),
          })),
        }
        expect(isOfSchema(inJson)).toBe(true)
        const path = join(place, 'feed.json')
        writeFileSync(path, JSON.stringify(inJson))
        const kinds = {
          sku: text({ notNull: true }),
          revision: int64(),
          status: oneOf('ok', 'gone'),
          mail: text(),
        }
        const columns = Object.entries(kinds).filter(([name]) => isStored(name as Name))
        const inCode: FeedSource = {
          name: 'random',
          schema: defineSchema({
            name: 'random',
            columns: Object.fromEntries(columns.map(([name, kind]) => [storedName(name), kind])),
          }),
          key: storedName('sku'),
          ...(hasVersion && { version: storedName('revision') }),
          ...(removal !== undefined && {
            isRemoved: each => each.text(storedName('status')) === removal,
          }),
          dialect: CODE_DIALECT,
          files: listed.map((each, n) => ({ ...each, time: times[n]! })),
        }
        const wanted = await rowsOf(inCode)
        expect(await rowsOf(await readFeedFile(path, { variable }))).toEqual(wanted)
      },
    ),
    { numRuns: 40 },
  )
})

// The JSON Schema of the package says what the reader takes.

const ROOT = resolve(import.meta.dirname, '../../..')
const published = JSON.parse(readFileSync(join(ROOT, 'feed.schema.json'), 'utf8'))
const isOfSchema = new Ajv({ strict: false }).compile(published)

/** A feed with every part that the schema has. */
const WHOLE = {
  $schema: 'a',
  name: 'stock',
  columns: {
    sku: {
      type: 'text',
      required: true,
      notNull: true,
      aliases: ['id'],
      deprecated: 'a',
      source: 'b',
    },
    seen: { type: 'timestamp' },
    price: { type: 'decimal', scale: 2 },
    colour: { type: 'oneOf', values: ['red'] },
    sizes: { type: 'list', separator: '|', element: { type: 'int32' } },
    tags: { type: 'list', separator: ',', element: { type: 'oneOf', values: ['a'] } },
    mail: { type: 'text' },
  },
  dialect: {
    delimiter: ';',
    quoting: 'doubled',
    comment: '#',
    header: true,
    skipLines: 1,
    unitLines: 2,
    encoding: 'windows-1252',
    nulls: ['NULL', '-'],
    trim: true,
    shortRows: 'fill',
    blankLines: 'skip',
    repeatedHeader: 'skip',
  },
  content: 'table',
  key: 'sku',
  version: 'seen',
  removed: { column: 'colour', equals: 'red' },
  files: { folder: 'a', full: 'b', changes: 'c' },
  headers: { Authorization: `Bearer ${LITERAL_OF_TOKEN}` },
  rename: { mail: 'e_mail' },
  drop: ['price'],
  hash: { columns: ['mail'], salt: LITERAL_OF_SALT },
}
const FILE = { id: 'a', from: 'a', kind: 'full', time: '2026-03-01T00:00:00Z' }
const FEEDS = [
  WHOLE,
  { ...WHOLE, files: [FILE] },
  { ...WHOLE, files: 'https://a.example' },
  { ...WHOLE, files: 's3://bucket/key' },
  {
    ...WHOLE,
    files: { bucket: 's3://bucket/a', endpoint: 'https://a.example', region: 'b', full: 'c' },
  },
  { ...WHOLE, dialect: { header: ['sku', 'seen', 'colour', 'mail'] } },
]

/** What a value may be replaced by. */
const others = fc.constantFrom<unknown[]>(
  null,
  true,
  false,
  0,
  2,
  -1,
  39,
  1.5,
  '',
  'x',
  'xy',
  '\t',
  'text',
  'int32',
  'json',
  'list',
  'oneOf',
  'none',
  'full',
  'changes',
  [],
  ['x'],
  [''],
  ['x', 'x'],
  [1],
  {},
  { x: 'y' },
  { type: 'text' },
  { type: 'list' },
  LITERAL_OF_SALT,
)
const NEW_NAMES = [
  'x',
  'name',
  'scale',
  'values',
  'separator',
  'element',
  'aliases',
  'timeOf',
  'expected',
  'decode',
  'empty',
  'as',
  'comment',
  'content',
  'transport',
  'schema',
  'isRemoved',
  'onlySchema',
  'salt',
]

/** Returns a copy in which one place, which a number chooses, is gone, replaced or has one more. */
function mutated(feed: unknown, at: number, what: string, other: unknown, name: string): unknown {
  let left = at
  const copy = (value: unknown): unknown => {
    if (typeof value !== 'object' || value === null) return value
    if (Array.isArray(value)) {
      if (left-- === 0 && what === 'more') return [...value, other]
      return value.flatMap(each => changed(each))
    }
    const entries = Object.entries(value).flatMap(([key, each]) =>
      changed(each).map(one => [key, one]),
    )
    if (left-- === 0 && what === 'more') entries.push([name, other])
    return Object.fromEntries(entries)
  }
  const changed = (value: unknown): unknown[] => {
    if (left-- !== 0) return [copy(value)]
    return what === 'gone' ? [] : [what === 'replaced' ? other : copy(value)]
  }
  return copy(feed)
}

/** What depends on names, or on more than the form of one text. */
const BEYOND =
  /a column of|text column|a kind|spelt otherwise|column names that fit|may be a secret|needs the variable|one ASCII character|a time such as|each column another name|another time|identifier of its own|characters that HTTP|an http or https URL|an address such as s3|the name of a region|that of one object|without user info|an encoding that/

test('fault 154: the published schema takes what the reader takes, name by name', async () => {
  let refused = 0
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom(...FEEDS),
      fc.nat(90),
      fc.constantFrom('gone', 'replaced', 'more'),
      others,
      fc.constantFrom(...NEW_NAMES),
      async (feed, at, what, other, name) => {
        const given = mutated(feed, at, what, other, name)
        const error = await read(given).catch(thrown => thrown)
        const isRead = !(error instanceof Error)
        if (isRead) expect(isOfSchema(given), JSON.stringify(isOfSchema.errors)).toBe(true)
        else {
          expect(error).toMatchObject({ code: 'OPTION_INVALID' })
          refused++
          if (isOfSchema(given)) expect(error.message).toMatch(BEYOND)
        }
      },
    ),
    { numRuns: 1500 },
  )
  expect(refused).toBeGreaterThan(300)
})

/** The names that a message of the reader lists. */
const listed = (message: string, behind: string) =>
  message
    .slice(message.indexOf(behind) + behind.length)
    .replace(/, not .*/s, '')
    .split(/, | or /)

test('the published schema has the very names and choices of the reader', async () => {
  type Part = { readonly properties: Record<string, { readonly enum?: string[] }> }
  const { properties, definitions } = published
  const [, list, place] = properties.files.anyOf
  const parts: [name: string, part: Part, feed: object][] = [
    ['the feed', published, { ...SMALL, other: 1 }],
    ['dialect', properties.dialect, { ...SMALL, dialect: { other: 1 } }],
    ['removed', properties.removed, { ...SMALL, removed: { other: 1 } }],
    ['hash', properties.hash, { ...SMALL, hash: { other: 1 } }],
    ['a file', list.items, { ...SMALL, files: [{ other: 1 }] }],
    ['a folder', place, { ...SMALL, files: { other: 1 } }],
  ]
  for (const [name, part, feed] of parts) {
    const names = listed(await refusal(feed), 'the options are ')
    expect([name, ...names.sort()]).toEqual([name, ...Object.keys(part.properties).sort()])
  }
  const columnOf = (column: object) => ({ ...SMALL, columns: { sku: column } })
  const kindsOf = async (feed: object) =>
    listed(await refusal(feed), 'type must be ').map(kind => kind.slice(1, -1))
  const { column, kind } = definitions
  // A column of the kind `cell` has a function, which JSON does not have.
  const forJson = (kinds: string[]) => kinds.filter(each => each !== 'cell').sort()
  const known = column.properties.type.enum
  expect(forJson(await kindsOf(columnOf({ type: 'x' })))).toEqual([...known].sort())
  const element = { type: 'list', separator: '|', element: { type: 'x' } }
  expect(forJson(await kindsOf(columnOf(element)))).toEqual(
    [...kind.properties.element.properties.type.enum].sort(),
  )
  const names = new Set<string>()
  for (const type of known)
    for (const name of listed(await refusal(columnOf({ type, x: 1 })), ' are ')) names.add(name)
  expect([...names].sort()).toEqual(Object.keys(column.properties).sort())
  const choices = (feed: object) => refusal(feed).then(told => listed(told, 'must be '))
  const quoted = (values: string[]) => values.map(value => `'${value}'`)
  for (const [name, { enum: values }] of Object.entries<Part['properties'][string]>(
    properties.dialect.properties,
  ))
    if (values !== undefined)
      expect(await choices({ ...SMALL, dialect: { [name]: 'x' } })).toEqual(quoted(values))
  expect(await choices({ ...SMALL, content: 'x' })).toEqual(quoted(properties.content.enum))
  expect(await choices({ ...SMALL, files: [{ ...FILE, kind: 'x' }] })).toEqual(
    quoted(list.items.properties.kind.enum),
  )
})

test.each(FEEDS)('a whole feed is read, and without a part that may be left out', async feed => {
  expect(isOfSchema(feed)).toBe(true)
  await read(feed)
  for (const name of Object.keys(published.properties)) {
    const { [name as keyof typeof feed]: _, ...rest } = feed as Record<string, unknown>
    const isRead = await read(rest).then(
      () => true,
      () => false,
    )
    expect([name, isRead]).toEqual([name, !published.required.includes(name)])
  }
})

test('a bucket is one of what makes its files, and refused without that', async () => {
  const files = { bucket: 's3://shop/exports/', full: '*.csv' }
  const source = await read({ ...WHOLE, files })
  expect(typeof source.files).toBe('function')
  expect(source.transport).toBeDefined()
  const one = await read({ ...WHOLE, files: 's3://shop/stock.csv' })
  expect(`${one.files}`).toMatch(/shop.*stock\.csv$/)
  expect(await refusal({ ...WHOLE, files: { ...files, region: '?' } })).toMatch(/region must be/)
  await expect(readFeedFile(fileOf({ ...WHOLE, files }), { variable })).rejects.toThrow(
    'a bucket needs the option bucketFiles',
  )
})
