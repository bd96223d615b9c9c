// The README's TypeScript is code: every block is type-checked, run against an emulated service, and must print what is expected of it.
// Before each block a comment names it, and what it takes from readme-preamble.ts: `<!-- snippet: rows · uses items -->`.

import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import ts from 'typescript'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { close, given, groupCount, SNIPPETS_DIR, truthAtEnd, truthAtStart, tunnels } from './readme-preamble'

const ROOT = join(import.meta.dirname, '..')
const README = readFileSync(join(ROOT, 'README.md'), 'utf8')

interface Snippet {
  readonly name: string
  readonly uses: readonly string[]
  readonly code: string
}

/** The arguments of each call of console.log. */
type Printed = readonly (readonly unknown[])[]

const itemIds = truthAtStart.map(({ itemId }) => itemId)

/** What each snippet must show. A snippet that is not here, or an entry without its snippet, fails. */
const EXPECTED: Record<string, (printed: Printed) => void> = {
  'five-lines': printed => {
    expect(printed.map(([itemId]) => itemId)).toEqual(itemIds)
    expect(printed.map(([, title]) => typeof title)).not.toContain('undefined')
    expect(printed.some(([, , price]) => typeof price === 'number' && price > 0)).toBe(true)
  },
  clients: printed => {
    expect(printed[0]).toEqual([false, '2026-03-01T00:00:00.000Z'])
    expect(printed.slice(1).map(([itemId]) => itemId)).toEqual(itemIds)
  },
  rows: printed => {
    expect(printed.length).toBeGreaterThan(0)
    for (const [price, currency, line] of printed) {
      expect(Number(price)).toBeGreaterThan(100)
      expect(currency).toBe('USD')
      expect(line).toBeGreaterThan(1)
    }
    expect(printed.map(([, , , regions]) => regions)).toContainEqual({ countries: expect.any(Array), regions: expect.any(Array) })
  },
  objects: printed =>
    expect(printed).toEqual([
      ['v1|1|0', 1.5],
      ['v1|2|0', undefined],
    ]),
  'local-file': printed => expect(printed).toEqual([[2, 'a "quoted" title']]),
  helpers: printed => {
    const found = printed.at(-1)?.[0] as { id: string; price: string }[]
    expect(found).toHaveLength(3)
    expect(found.every(({ id, price }) => itemIds.includes(id) && Number(price) > 0)).toBe(true)
    expect(printed.filter(([word]) => word === 'seen').map(([, itemId]) => itemId)).toEqual(
      expect.arrayContaining(found.map(({ id }) => id)),
    )
  },
  sinks: printed => {
    expect(printed).toEqual([['whole and verified:', itemIds.length]])
    expect(ndjson('items.ndjson').map(({ itemId }) => itemId)).toEqual(itemIds)
    expect(written('items.csv').split('\r\n')[0]).toBe('itemId,title,priceValue')
  },
  'join-and-merge': printed => {
    expect(ndjson('merged.ndjson').map(({ itemId }) => itemId)).toEqual(truthAtEnd.map(({ itemId }) => itemId))
    expect(ndjson('merged.ndjson').some(({ groupTitle }) => typeof groupTitle === 'string')).toBe(true)
    const gone = printed.filter(([word]) => word === 'gone:').map(([, itemId]) => itemId)
    expect(gone.length).toBeGreaterThan(0)
    expect(printed.at(-1)?.[0]).toMatchObject({ groups: groupCount, replacedGroups: 0 })
  },
  sync: printed => {
    const marks = printed.filter(([, words]) => words === 'is what was true at')
    expect(marks[0]).toEqual(['220', 'is what was true at', '2026-03-01T00:00:00.000Z'])
    expect(marks.at(-1)).toEqual(['220', 'is what was true at', '2026-03-01T03:00:00.000Z'])
    expect(printed[marks.length]).toEqual([5, 'files,', 0, 'failed'])
    const items = printed.slice(marks.length + 1)
    expect(items.map(([itemId]) => itemId)).toEqual(truthAtEnd.map(({ itemId }) => itemId))
    expect(items.some(([, , groupTitle]) => typeof groupTitle === 'string')).toBe(true)
  },
  proxy: printed => {
    expect(printed).toEqual([[itemIds.length]])
    expect(tunnels.length).toBeGreaterThan(0)
  },
  errors: printed => expect(printed).toEqual([['status', 400, 'service code', 13014, 'retryable', false]]),
  // Rows come in batches, so a bad row may be told of before a good one in front of it.
  'bad-rows': printed =>
    expect(new Set(printed)).toEqual(
      new Set([
        ['v1|1|0', 'one'],
        ['TSV_ROW_SHORT', 'line', 3, 'byte', 24],
        ['TSV_QUOTE_UNCLOSED', 'line', 4, 'byte', 31],
        ['v1|4|0', 'four'],
      ]),
    ),
  abort: printed => {
    expect(printed.at(-2)).toEqual(['settled:', 'ABORTED'])
    expect(printed.at(-1)).toEqual(['thrown:', 'ABORTED'])
    expect(printed[0]).toEqual([true, expect.stringMatching(/^RangeFetcher: \d+, .*TsvRowParser: \d+$/)])
  },
  'own-stage': printed => {
    expect(printed.map(([length]) => length)).toEqual([100, itemIds.length - 100])
    expect(printed.map(([, itemId]) => itemId)).toEqual([itemIds[0], itemIds[100]])
  },
  emulator: printed => expect(printed).toEqual([[true, true]]),
}

const snippets = [...README.matchAll(/<!-- snippet: ([\w-]+)(?: · uses ([\w, ]+))? -->\n```ts\n(.*?)\n```/gs)].map(
  ([, name, uses, code]): Snippet => ({ name: name!, uses: uses?.split(', ') ?? [], code: code! }),
)

const fileOf = (name: string) => join(SNIPPETS_DIR, `${name}.ts`)
const written = (name: string) => readFileSync(join(SNIPPETS_DIR, name), 'utf8')
const ndjson = (name: string): Record<string, unknown>[] =>
  written(name)
    .trimEnd()
    .split('\n')
    .map(line => JSON.parse(line))

/** The package's entries as its source has them: what is checked here is not what was built last. */
function fromSource(code: string): string {
  return code.replace(/ from 'feedmill(\/[\w-]+)?'/g, (whole, subpath = '') => {
    const entry = join(ROOT, 'src', subpath, 'index.ts')
    return existsSync(entry) ? ` from '../../src${subpath}/index'` : whole
  })
}

function moduleOf({ uses, code }: Snippet): string {
  const preamble = uses.length > 0 ? `import { given } from '../../test/readme-preamble'\nconst { ${uses.join(', ')} } = given\n` : ''
  return `${preamble}${fromSource(code)}\nexport {}\n`
}

beforeAll(() => {
  mkdirSync(SNIPPETS_DIR, { recursive: true })
  for (const snippet of snippets) writeFileSync(fileOf(snippet.name), moduleOf(snippet))
})

afterAll(close)

test('every TypeScript block is a named snippet with an expectation', () => {
  expect([...README.matchAll(/^\s*(```+|~~~+)\s*(ts|tsx|typescript|js|javascript)\b/gim)]).toHaveLength(snippets.length)
  expect(snippets.map(({ name }) => name).sort()).toEqual(Object.keys(EXPECTED).sort())
  expect(Object.keys(given)).toEqual(expect.arrayContaining(snippets.flatMap(({ uses }) => uses)))
})

test('only public entries of the package are imported, and a package that a reader brings', () => {
  const { exports } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as { exports: Record<string, unknown> }
  const imported = snippets.flatMap(({ code }) => [...code.matchAll(/ from '(?!node:)([^']+)'/g)].map(([, name]) => name!))
  expect(imported.length).toBeGreaterThan(0)
  const others = imported.filter(name => !Object.keys(exports).includes(name.replace(/^feedmill/, '.')))
  expect(others).toEqual(['undici'])
})

test('every snippet type-checks by the rules of the project', () => {
  const { config } = ts.readConfigFile(join(ROOT, 'tsconfig.json'), ts.sys.readFile)
  const { options } = ts.parseJsonConfigFileContent({ ...config, include: [], files: [] }, ts.sys, ROOT)
  const program = ts.createProgram(
    snippets.map(({ name }) => fileOf(name)),
    options,
  )
  const problems = snippets.flatMap(({ name }) => {
    const file = program.getSourceFile(fileOf(name))
    return [...program.getSyntacticDiagnostics(file), ...program.getSemanticDiagnostics(file)]
  })
  expect(problems.map(({ file, start, messageText }) => lineOf(file, start) + ts.flattenDiagnosticMessageText(messageText, '\n'))).toEqual(
    [],
  )
})

function lineOf(file: ts.SourceFile | undefined, start = 0): string {
  return file === undefined ? '' : `${file.fileName.slice(SNIPPETS_DIR.length + 1)}:${file.getLineAndCharacterOfPosition(start).line + 1}: `
}

describe('every snippet runs', () => {
  const startedIn = process.cwd()
  beforeAll(() => process.chdir(SNIPPETS_DIR))
  afterAll(() => process.chdir(startedIn))

  test.each(snippets.map(({ name }) => name))('%s', async name => {
    const log = vi.spyOn(console, 'log').mockImplementation(() => {})
    try {
      await import(fileOf(name))
      EXPECTED[name]!(log.mock.calls)
    } finally {
      log.mockRestore()
    }
  })
})
