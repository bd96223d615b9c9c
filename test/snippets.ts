// The TypeScript blocks of the documents for users, and of the examples in the sources, are code.
// In a document a comment before each block names it, and what it takes from readme-preamble.ts:
// `<!-- snippet: rows · uses items -->`. An example in a source (`@example`) has the name of what
// it documents. Its line `// given: url` names what it takes from there, and its comments
// `// => text` are, in their order, the lines that it must print.
// This file finds the blocks, makes modules of them, type-checks these, and says what each of them
// must print and write. The modules run against the sources and against the packed package.

import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { format } from 'node:util'
import { gunzipSync } from 'node:zlib'
import ts from 'typescript'
import { expect } from 'vitest'
import { pagesIn } from './markdown-links'
import type { Facts } from './readme-preamble'

const ROOT = join(import.meta.dirname, '..')

/** The README and the pages of the guide, with their text. */
export const PAGES: ReadonlyMap<string, string> = new Map(
  ['README.md', ...pagesIn(ROOT, 'src/guide')].map(path => [
    path,
    readFileSync(join(ROOT, path), 'utf8'),
  ]),
)

/** The sources that have examples, with their text. */
export const EXAMPLE_SOURCES: ReadonlyMap<string, string> = new Map(
  readdirSync(join(ROOT, 'src'), { recursive: true, encoding: 'utf8' })
    .filter(path => path.endsWith('.ts'))
    .sort()
    .map(path => [`src/${path}`, readFileSync(join(ROOT, 'src', path), 'utf8')] as const)
    .filter(([, text]) => text.includes('@example')),
)

export interface Snippet {
  readonly name: string
  /** The document or the source that has it. */
  readonly page: string
  /** The number of its first line of code on its page, from 1. */
  readonly line: number
  readonly uses: readonly string[]
  readonly code: string
  /** The lines that an example must print. A snippet of a document has none: see EXPECTED. */
  readonly prints?: readonly string[]
}

/** What a snippet did. */
export interface SnippetRun {
  /** The arguments of each call of console.log. */
  readonly printed: readonly (readonly unknown[])[]
  readonly facts: Facts
}

const snippetsOfPages: readonly Snippet[] = [...PAGES].flatMap(([page, text]) =>
  [...text.matchAll(/<!-- snippet: ([\w-]+)(?: · uses ([\w, ]+))? -->\n```ts\n(.*?)\n```/gs)].map(
    ({ index, 1: name, 2: uses, 3: code }) => ({
      name: name!,
      page,
      line: lineAt(text, index) + 2,
      uses: uses?.split(', ') ?? [],
      code: code!,
    }),
  ),
)

const EXAMPLE =
  /^ *\* @example\n *\* ```ts\n((?: *\*.*\n)+?) *\* ```\n(?: *\*.*\n)*? *\*\/\n *(?:export )?(?:declare )?(?:abstract )?(?:async )?(?:class|function|const|interface|type) (\w+)/gm

const examples: readonly Snippet[] = [...EXAMPLE_SOURCES].flatMap(([page, text]) =>
  [...text.matchAll(EXAMPLE)].map(({ index, 1: lines, 2: name }) => {
    const code = lines!.trimEnd().replace(/^ *\* ?/gm, '')
    return {
      name: `example-${name}`,
      page,
      line: lineAt(text, index) + 2,
      uses: /^\/\/ given: (.*)$/m.exec(code)?.[1]?.split(', ') ?? [],
      code,
      prints: [...code.matchAll(/\/\/ => (.*)$/gm)].map(([, line]) => line!),
    }
  }),
)

export const snippets: readonly Snippet[] = [...snippetsOfPages, ...examples]

function lineAt(text: string, index: number): number {
  return text.slice(0, index).split('\n').length
}

/** The module of a snippet, in a folder that has `test/readme-preamble.ts`. */
export function moduleOf(root: string, { name }: Snippet, extension: 'ts' | 'js' = 'ts'): string {
  return join(root, '.tmp/snippets', `${name}.${extension}`)
}

/** Writes the module of every snippet. @param changed what becomes of its code */
export function writeModules(root: string, changed = (code: string) => code): void {
  mkdirSync(join(root, '.tmp/snippets'), { recursive: true })
  for (const snippet of snippets) {
    const { uses, line, code } = snippet
    const taken = `import { given } from '../../test/readme-preamble.js'; const { ${uses.join(', ')} } = given`
    const preamble = uses.length > 0 ? taken : ''
    // A line of the module is that of the page.
    writeFileSync(
      moduleOf(root, snippet),
      `${'\n'.repeat(line - 2)}${preamble}\n${changed(code)}\nexport {}\n`,
    )
  }
}

/**
 * The errors of TypeScript, with pages and lines. Without `noEmit` it compiles the snippets too.
 */
export function problemsOf(root: string, options: ts.CompilerOptions): string[] {
  const program = ts.createProgram(
    snippets.map(snippet => moduleOf(root, snippet)),
    options,
  )
  program.emit()
  const ofSnippets = snippets.flatMap(snippet => {
    const file = program.getSourceFile(moduleOf(root, snippet))
    const found = [
      ...program.getSyntacticDiagnostics(file),
      ...program.getSemanticDiagnostics(file),
    ]
    return found.map(
      problem =>
        `${snippet.page}:${lineOf(problem)}: ${ts.flattenDiagnosticMessageText(problem.messageText, '\n')}`,
    )
  })
  const others = [...program.getOptionsDiagnostics(), ...program.getGlobalDiagnostics()]
  return [
    ...others.map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, '\n')),
    ...ofSnippets,
  ]
}

function lineOf({ file, start = 0 }: ts.Diagnostic): number {
  return file === undefined ? 0 : file.getLineAndCharacterOfPosition(start).line + 1
}

/** Compares what a snippet did with what it must do. */
export function expectRun({ name, prints }: Snippet, run: SnippetRun): void {
  if (prints === undefined) EXPECTED[name]!(run)
  else expect(run.printed.map(words => format(...words))).toEqual(prints)
}

/**
 * What each snippet of a document must print and write. Each of them has an entry, and every entry
 * a snippet.
 */
export const EXPECTED: Readonly<Record<string, (run: SnippetRun) => void>> = {
  'own-feed-folder': ({ printed }) =>
    expect(printed).toEqual([
      [2, 'files,', 4, 'rows'],
      ['A-1', '1.50'],
      ['A-2', '2.50'],
      ['changes-2026-03-02.csv 2026-03-02T00:00:00.000Z'],
    ]),
  'own-feed-opened': ({ printed }) => expect(printed).toEqual([[2, 'rows']]),
  'own-feed-accept': ({ printed }) => expect(printed).toEqual([[1, 'file accepted']]),
  'own-feed-addresses': ({ printed }) => expect(printed).toEqual([[1, 'rows']]),
  'duckdb-target': ({ printed }) => expect(printed).toEqual([[expect.any(Number), 'rows']]),
  'duckdb-sink': ({ printed }) => expect(printed).toEqual([]),
  'columns-duckdb': ({ printed }) => expect(printed).toEqual([]),
  'columns-of-a-state': ({ printed }) => expect(printed).toEqual([]),
  'arrow-sink': ({ printed }) => expect(printed).toEqual([]),
  'parquet-sink': ({ printed }) => expect(printed).toEqual([]),
  'parquet-objects': ({ printed }) => expect(printed).toEqual([]),
  'parquet-partitions': ({ printed }) => expect(printed).toEqual([]),
  'engine-inflate': ({ printed }) => expect(printed).toEqual([[64, 1, 68]]),
  'engine-rows': ({ printed }) =>
    expect(printed).toEqual([
      [2, 'v1|1|0', 'a "quoted" title'],
      [3, 'v1|2|0', 'two'],
    ]),
  'engine-columns': ({ printed }) => expect(printed).toEqual([[2, ['sku', 'price'], 1]]),
  'bench-file': ({ printed }) => expect(printed).toEqual([]),
  first: ({ printed, facts: { samplePath, sampleRows } }) => {
    expect(sampleRows).toBeGreaterThan(20)
    expect(printed).toHaveLength(sampleRows)
    // Neither a heading nor an identifier of the sample is quoted.
    const [header = '', ...lines] = gunzipSync(readFileSync(samplePath))
      .toString()
      .trimEnd()
      .split('\n')
    const key = header.toLowerCase().split('\t').indexOf('itemid')
    expect(printed.map(([itemId]) => itemId)).toEqual(lines.map(line => line.split('\t')[key]))
    const titles = printed.map(([, title]) => title)
    expect(titles.every(title => typeof title === 'string' && title !== '')).toBe(true)
    const prices = printed.map(([, , price]) => price)
    expect(prices.every(price => typeof price === 'number' || price === undefined)).toBe(true)
    expect(prices.some(price => typeof price === 'number')).toBe(true)
  },
  'five-lines': ({ printed, facts }) => {
    expect(printed.map(([itemId]) => itemId)).toEqual(facts.itemIds)
    expect(printed.map(([, title]) => typeof title)).not.toContain('undefined')
    expect(printed.some(([, , price]) => typeof price === 'number' && price > 0)).toBe(true)
  },
  clients: ({ printed, facts }) => {
    expect(printed[0]).toEqual([false, '2026-03-01T00:00:00.000Z'])
    expect(printed.slice(1).map(([itemId]) => itemId)).toEqual(facts.itemIds)
  },
  rows: ({ printed }) => {
    expect(printed.length).toBeGreaterThan(0)
    for (const [price, currency, line] of printed) {
      expect(Number(price)).toBeGreaterThan(100)
      expect(currency).toBe('USD')
      expect(line).toBeGreaterThan(1)
    }
    expect(printed.map(([, , , regions]) => regions)).toContainEqual({
      countries: expect.any(Array),
      regions: expect.any(Array),
    })
  },
  objects: ({ printed }) =>
    expect(printed).toEqual([
      ['v1|1|0', 1.5],
      ['v1|2|0', undefined],
    ]),
  columns: ({ printed }) =>
    expect(printed).toEqual([
      [null, true],
      [null, true],
    ]),
  'local-file': ({ printed }) => expect(printed).toEqual([[2, 'a "quoted" title']]),
  helpers: ({ printed, facts }) => {
    const found = printed.at(-1)?.[0] as { id: string; price: string }[]
    expect(found).toHaveLength(3)
    expect(found.every(({ id, price }) => facts.itemIds.includes(id) && Number(price) > 0)).toBe(
      true,
    )
    expect(printed.filter(([word]) => word === 'seen').map(([, itemId]) => itemId)).toEqual(
      expect.arrayContaining(found.map(({ id }) => id)),
    )
  },
  sinks: ({ facts }) => {
    expect(ndjson(facts.folder, 'items.ndjson').map(({ itemId }) => itemId)).toEqual(facts.itemIds)
    expect(written(facts.folder, 'items.csv').split('\r\n')[0]).toBe('itemId,title,priceValue')
  },
  'own-sink': ({ printed, facts }) =>
    expect(printed).toEqual([['whole and verified:', facts.itemIds.length]]),
  'postgres-target': ({ printed }) =>
    expect(printed).toEqual([['postgres://shop@db.example/shop?schema=feeds']]),
  'sqlite-sink': ({ printed }) => expect(printed).toEqual([['sqlite']]),
  'own-schema': ({ printed }) =>
    expect(printed).toEqual([
      ['v1|1|0', 1.5, 3],
      ['v1|2|0', undefined, 1],
    ]),
  'inferred-schema': ({ printed }) =>
    expect(printed).toEqual([
      ['{"sku":{"type":"text"},"stock":{"type":"int32"},"seen":{"type":"text"}}', ','],
      ['seen', '\\N', 1, 'date'],
      ['A-1', 12],
      ['A-2', null],
    ]),
  'named-columns': ({ printed }) => expect(printed).toEqual([['A-1: unknown']]),
  'own-file': ({ printed }) => expect(printed).toEqual([['A-1', 'red', ['new', 'sale'], 1.5]]),
  follow: ({ printed }) => {
    expect(printed).toHaveLength(18)
    expect(printed[0]).toEqual(['applied', 'item'])
    expect(printed.filter(([, feed]) => feed === 'item_snapshot')).toHaveLength(3)
  },
  'one-item': ({ printed }) => {
    const [[title, groupTitle]] = printed as [[string, string]]
    expect(title).toMatch(/\w/)
    expect(groupTitle).toMatch(/\w/)
  },
  sqlite: ({ facts }) => {
    expect(facts.tableRows.map(([itemId]) => itemId)).toEqual(facts.itemIds)
    expect(facts.tableRows.some(([, , price]) => Number(price) > 0)).toBe(true)
  },
  'look-ups': ({ printed }) => expect(printed).toEqual([[3]]),
  'ci-test': ({ printed }) => expect(printed).toEqual([[true]]),
  'what-is-wrong': ({ printed }) =>
    expect(printed).toEqual([
      [
        'TSV_HEADER_INVALID',
        expect.stringContaining('Gunzip'),
        expect.objectContaining({ row: 0 }),
        false,
        undefined,
      ],
    ]),
  'getting-started': ({ printed }) => expect(printed).toEqual([]),
  'getting-started-query': ({ printed, facts }) => {
    const [found] = printed[0] as [{ availability: string; items: number; highest: number }[]]
    expect(found.reduce((sum, { items }) => sum + items, 0)).toBe(facts.sampleRows)
    expect(found[0]).toMatchObject({ availability: 'AVAILABLE', highest: expect.any(Number) })
  },
  'csv-into-database': ({ printed }) => expect(printed).toEqual([[1, 'rows']]),
  'bucket-feed': ({ printed }) => expect(printed).toEqual([[1, 'file,', 1, 'rows']]),
  'bucket-object': ({ printed }) => expect(printed).toEqual([['{"sku":"A-1"}\n{"sku":"A-2"}']]),
  'bucket-azure': ({ printed }) => expect(printed).toEqual([[1]]),
  'csv-over-http': ({ printed }) => expect(printed).toEqual([['A-1', 'a "small" lamp']]),
  dialect: ({ printed }) => expect(printed).toEqual([[2, 'v1|1|0', 'a "quoted", title']]),
  'as-it-comes': ({ printed }) =>
    expect(printed).toEqual([
      [4, 'A-1', 0.5],
      [7, 'A-2', undefined],
      [8, 'A-3', undefined],
    ]),
  'json-lines': ({ printed }) =>
    expect(printed).toEqual([
      ['A-1', '9.90', ['new', 'red'], null],
      ['A\t2', undefined, [], { cm: [2, 3] }],
    ]),
  encodings: ({ printed }) => expect(printed).toEqual([['Köln', 'München']]),
  'diff-rows': ({ printed }) =>
    expect(printed).toEqual([
      ['deleted', ['a'], []],
      ['updated', ['b'], [{ column: 'price', before: '2', after: '3' }]],
      ['inserted', ['c'], []],
      [{ inserted: 1, updated: 1, deleted: 1, unchanged: 0 }],
    ]),
  'join-and-merge': ({ printed, facts }) => {
    expect(ndjson(facts.folder, 'merged.ndjson').map(({ itemId }) => itemId)).toEqual(
      facts.itemIdsAtEnd,
    )
    expect(
      ndjson(facts.folder, 'merged.ndjson').some(
        ({ groupTitle }) => typeof groupTitle === 'string',
      ),
    ).toBe(true)
    const gone = printed.filter(([word]) => word === 'gone:').map(([, itemId]) => itemId)
    expect(gone.length).toBeGreaterThan(0)
    expect(printed.at(-1)?.[0]).toMatchObject({ groups: facts.groupCount, replacedGroups: 0 })
  },
  sync: ({ printed, facts }) => {
    const marks = printed.filter(([, words]) => words === 'is what was true at')
    expect(marks[0]).toEqual(['220', 'is what was true at', '2026-03-01T00:00:00.000Z'])
    expect(marks.at(-1)).toEqual(['220', 'is what was true at', '2026-03-01T03:00:00.000Z'])
    expect(printed[marks.length]).toEqual([18, 'files'])
    const items = printed.slice(marks.length + 1)
    expect(items.map(([itemId]) => itemId)).toEqual(facts.itemIdsAtEnd)
    expect(items.some(([, , groupTitle]) => typeof groupTitle === 'string')).toBe(true)
  },
  proxy: ({ printed, facts }) => {
    expect(printed).toEqual([[facts.itemIds.length]])
    expect(facts.tunnels.length).toBeGreaterThan(0)
  },
  'first-error': ({ printed }) => {
    const context = { row: 2, line: 3, byteOffset: 19 }
    expect(printed).toEqual([['TSV_ROW_SHORT', expect.objectContaining(context), false]])
  },
  errors: ({ printed }) =>
    expect(printed).toEqual([['status', 400, 'service code', 13014, 'retryable', false]]),
  // Rows come in batches, so a bad row may be told of before a good one in front of it.
  'bad-rows': ({ printed }) =>
    expect(new Set(printed)).toEqual(
      new Set([
        ['v1|1|0', 'one'],
        ['TSV_ROW_SHORT', 'line', 3, 'byte', 24],
        ['TSV_QUOTE_UNCLOSED', 'line', 4, 'byte', 31],
        ['v1|4|0', 'four'],
      ]),
    ),
  quarantine: ({ printed }) =>
    expect(printed).toEqual([
      ['TsvRowParser', 2, 1],
      ['ColumnDecoder', 1, 1],
      [2, 13],
    ]),
  'quarantine-schema': ({ printed }) => expect(printed).toEqual([['A-1', 12], [1]]),
  'quarantine-replay': ({ printed }) => expect(printed).toEqual([['A-1', '5']]),
  abort: ({ printed }) => {
    expect(printed.at(-2)).toEqual(['settled:', 'ABORTED'])
    expect(printed.at(-1)).toEqual(['thrown:', 'ABORTED'])
    expect(printed[0]).toEqual([
      true,
      expect.stringMatching(/^RangeFetcher: \d+, .*TsvRowParser: \d+$/),
    ])
  },
  // The request for the token, and one for the whole of a small file.
  channels: ({ printed }) => expect(printed).toEqual([[new Map([[200, 2]])]]),
  logger: ({ printed }) => expect(printed).toEqual([['pipeline completed in some ms', true]]),
  opentelemetry: ({ printed }) => expect(printed).toEqual([[1]]),
  // A queue needs a server, and test/integrations/queue/ works with one.
  queue: ({ printed }) => expect(printed).toEqual([['function']]),
  'queue-feeds': ({ printed }) => expect(printed).toEqual([['function']]),
  'run-category': ({ printed }) => expect(printed).toEqual([['function']]),
  'own-stage': ({ printed, facts }) => {
    expect(printed.map(([length]) => length)).toEqual([100, facts.itemIds.length - 100])
    expect(printed.map(([, itemId]) => itemId)).toEqual([facts.itemIds[0], facts.itemIds[100]])
  },
  'own-generator': ({ printed, facts }) => {
    const lengths = printed[0]?.[0] as number[]
    expect(lengths).toHaveLength(facts.itemIds.length)
    expect(lengths.every(length => length > 0)).toBe(true)
  },
  'own-streams': ({ printed }) => expect(printed).toEqual([[4]]),
  'several-sinks': ({ facts }) => {
    expect(ndjson(facts.folder, 'both.ndjson').map(({ itemId }) => itemId)).toEqual(facts.itemIds)
    expect(written(facts.folder, 'both.csv').split('\r\n')).toHaveLength(facts.itemIds.length + 2)
  },
  shards: ({ facts }) => {
    const { rows, files } = JSON.parse(written(facts.folder, 'export/manifest.json'))
    expect([rows, files.length]).toEqual([facts.itemIds.length, 1])
  },
  emulator: ({ printed }) => expect(printed).toEqual([[true, true]]),
}

const written = (folder: string, name: string) => readFileSync(join(folder, name), 'utf8')
const ndjson = (folder: string, name: string): Record<string, unknown>[] =>
  written(folder, name)
    .trimEnd()
    .split('\n')
    .map(line => JSON.parse(line))
