// Tables that are kept by hand: whatever has to stand in one of them is there, and nothing else is.
// A failure names the table and what is missing from it.

import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { USAGE } from '../bench/bench-options'
import { REPORT_VERSION as BENCH_VERSION } from '../src/bench/bench-report'
import { EXIT_CODES } from '../src/cli/exit-code'
import { program } from '../src/cli/program'
import { SERVICE_VARIABLES } from '../src/cli/service-settings'
import { VERIFY_FAULTS } from '../src/cli/verify/fault-rounds'
import { ROUND_VARIABLES } from '../src/cli/verify/verify-round'
import * as mapAsync from '../src/engine/pipeline/map-async'
import * as rowStages from '../src/engine/pipeline/row-stages'
import * as validate from '../src/engine/pipeline/validate'
import type { Columns } from '../src/engine/schema/feed-schema'
import {
  itemGroupColumns,
  itemPriorityColumns,
  itemSnapshotColumns,
} from '../src/engine/schema/feed-schemas'
import { itemColumns } from '../src/engine/schema/item-columns'
import * as feedmill from '../src/index'
import { COLUMN_RULES, FILE_RULES, LOST_RULES, NEW_RULES } from '../src/inspect/drift/drift-rules'
import { REPORT_VERSION as INSPECT_VERSION } from '../src/inspect/report'
import { OPERATIONS } from '../src/service/operations'
import { dataOf, type Page, tableIn } from './documents/pages'

interface Table {
  /** The file, and the part of it where the table stands. */
  readonly name: string
  readonly listed: readonly string[]
  readonly required: readonly string[]
  /** What may stand in the table beside what is required. */
  readonly also?: readonly string[]
}

const ROOT = join(import.meta.dirname, '..')
const textOf = (path: string) => readFileSync(join(ROOT, path), 'utf8')
const pathsIn = (folder: string, suffix: string) =>
  readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
    .filter(path => path.endsWith(suffix))
    .map(path => join(folder, path))

/** Every match of the first group. */
const allOf = (text: string, pattern: RegExp) =>
  [...text.matchAll(pattern)].map(([, match]) => match!)
const wordsIn = (text: string) => allOf(text, /`([\w./@-]+)/g)

/** The text between two marks. Fails where one of them is not there. */
function between(path: string, from: string, to: string): string {
  const [, behind] = textOf(path).split(from)
  const [part, rest] = (behind ?? '').split(to)
  if (rest === undefined) throw new RangeError(`${path} has nothing between ${from} and ${to}`)
  return part!
}

/** The cells of each row of the table whose first heading is `heading`. */
function rowsOf(path: string, heading: string): string[][] {
  const lines = textOf(path).split('\n')
  const start = lines.findIndex(
    (line, n) => line.startsWith(`| ${heading} |`) && lines[n + 1]?.startsWith('|---'),
  )
  if (start < 0) throw new RangeError(`${path} has no table with the heading ${heading}`)
  const length = lines.slice(start).findIndex(line => !line.startsWith('|'))
  return lines
    .slice(start + 2, length < 0 ? undefined : start + length)
    .map(line => line.slice(1, -1).split(/(?<!\\)\|/))
    .map(cells => cells.map(cell => cell.trim()))
}

const column = (path: string, heading: string, index: number) =>
  rowsOf(path, heading).map(cells => cells[index] ?? '')

/** What is wrong with a table, one line for each name. */
function problemsOf({ name, listed, required, also = [] }: Table): string[] {
  const known = new Set([...required, ...also])
  return [
    ...required.filter(each => !listed.includes(each)).map(each => `${name} lacks ${each}`),
    ...listed
      .filter(each => !known.has(each))
      .map(each => `${name} lists ${each}, which does not exist`),
  ]
}

const classes = Object.entries(feedmill).filter(
  ([, value]) => typeof value === 'function' && /^class\b/.test(String(value)),
) as [string, new (...args: never[]) => object][]
const BASES: readonly unknown[] = [feedmill.Stage, feedmill.Source]
const stages = classes
  .filter(([, made]) => made.prototype instanceof feedmill.Stage && !BASES.includes(made))
  .map(([name]) => name)
const helpers = Object.keys({ ...rowStages, ...mapAsync, ...validate }).map(name =>
  name.replace(/Rows$/, '').replace(/^./, letter => letter.toLowerCase()),
)

const codes = allOf(
  between('src/engine/errors.ts', 'interface ErrorContexts {', '\n}\n'),
  /^ {2}(\w+): /gm,
)

const packed = JSON.parse(textOf('package.json'))
const entries = Object.keys(packed.exports)
  .filter(path => path !== './package.json')
  .map(path => path.replace('.', 'feedmill'))
const sources = Object.fromEntries(
  allOf(between('tsup.config.ts', 'const library = {', '}'), /^ {2}(.*)$/gm).map(line => {
    const [, name, source] = /(\w+): '(.*)'/.exec(line)!
    return [name === 'index' ? 'feedmill' : `feedmill/${name}`, source]
  }),
)

const commands = program(['node', 'feedmill']).commands.map(command => command.name())

/** Scripts that other scripts run, and nobody by hand. */
const INNER_SCRIPTS = [
  'bench:gate:once',
  'check:code',
  'check:package',
  'build:js',
  'prepack',
  'wasm',
]
const scriptNames = Object.keys(packed.scripts)
const mentionedScripts = [
  'CONTRIBUTING.md',
  'README.md',
  'bench/README.md',
  'test/README.md',
].flatMap(path => allOf(textOf(path), /\bnpm (?:run (?:-s )?)?((?<=run .*)[\w:]+|test\b)/g))

const named = (columns: Columns, source: string) =>
  Object.keys(columns).filter(name => columns[name]!.source === source)
/** The documents leave out the name of the service, which is a part of one column's name. */
const nameOf = (heading = '') => (heading === 'the service' ? 'gtin' : heading)
const columnsIn = (page: Page, section: string) =>
  tableIn(page, section).map(row => nameOf(row.Column))

const STAGE_TABLES: readonly Table[] = [
  {
    name: 'src/index.ts, the stages',
    listed: stages,
    required: [...pathsIn('src/engine/stages', '.ts'), ...pathsIn('src/state', '.ts')].flatMap(
      path =>
        allOf(textOf(path), /^export class (\w+)(?:<[^{]*>)?\s+extends \w*(?:Stage|Source)\b/gm),
    ),
  },
  {
    name: 'src/README.md, The stages',
    listed: column('src/README.md', 'stage', 0).flatMap(cell => cell.split(', ')),
    required: [...stages, ...helpers],
  },
  {
    name: 'src/guide/stages.md',
    listed: column('src/guide/stages.md', 'stage', 0).flatMap(wordsIn),
    required: stages,
  },
  {
    name: 'src/guide/pipelines-and-sinks.md, Helpers',
    listed: column('src/guide/pipelines-and-sinks.md', 'helper', 0).flatMap(wordsIn),
    required: [...helpers, 'to'],
  },
  {
    name: 'test/engine/stages/laws.test.ts',
    listed: allOf(textOf('test/engine/stages/laws.test.ts'), /^ {2,}name: ['`](\w+)/gm),
    required: [...stages, ...helpers],
  },
]

const CODE_TABLES: readonly Table[] = [
  {
    name: 'the sources, which throw every code',
    listed: codes.filter(code =>
      pathsIn('src', '.ts').some(
        path => path !== 'src/engine/errors.ts' && textOf(path).includes(`'${code}'`),
      ),
    ),
    required: codes,
  },
  {
    name: 'the tests, which name every code',
    listed: codes.filter(code => pathsIn('test', '.ts').some(path => textOf(path).includes(code))),
    required: codes,
  },
  ...['src/README.md', 'src/guide/stages.md'].map(path => ({
    name: `${path}, codes of the stages`,
    listed: codesIn(column(path, 'stage', 4).join(' ')),
    required: codes.filter(code => /^(?:CHUNK|RANGE|GZIP|TSV|CELL|KEY|VERSION)_/.test(code)),
    also: codes,
  })),
]

/** The codes that a text names; `GZIP_\*` stands for each code that begins so. */
function codesIn(text: string): string[] {
  return allOf(text, /\b([A-Z]+_[A-Z0-9_]*(?:\\\*)?)/g).flatMap(name => {
    const family = codes.filter(code => name.endsWith('*') && code.startsWith(name.slice(0, -2)))
    return family.length > 0 ? family : [name]
  })
}

/** An error has no methods, bases are called by their stages, and a function makes a Pipeline. */
const NOT_MADE = ['FeedError', 'Pipeline', 'Source', 'Stage']

const ENTRY_TABLES: readonly Table[] = [
  { name: 'tsup.config.ts, library', listed: Object.keys(sources), required: entries },
  {
    name: 'src/guide/runtimes.md, entries',
    listed: column('src/guide/runtimes.md', 'entry', 0).flatMap(cell =>
      allOf(cell, /^`(feedmill.*)`$/g),
    ),
    required: entries,
  },
  {
    name: 'test/public-calls.test.ts, ENTRIES',
    listed: allOf(
      between('test/public-calls.test.ts', 'const ENTRIES = {', '\n}\n'),
      /^ {2}'?(feedmill[\w/]*)/gm,
    ),
    required: entries,
  },
  {
    name: 'test/package.test.ts, IMPORTS',
    listed: allOf(
      between('test/package.test.ts', 'const IMPORTS = [', '\n]'),
      /'(feedmill[\w/]*)'\]/g,
    ),
    required: entries,
  },
  {
    name: 'test/public-calls.test.ts, MADE',
    listed: allOf(
      between('test/public-calls.test.ts', 'const MADE', '\n}\n'),
      /new feedmill\.(\w+)\(/g,
    ),
    required: classes.map(([name]) => name).filter(name => !NOT_MADE.includes(name)),
  },
]

const WATCHING_TABLES: readonly Table[] = [
  {
    name: 'src/guide/watching.md, channels',
    listed: column('src/guide/watching.md', 'channel', 0).flatMap(cell =>
      allOf(cell, /`([\w:]+)`/g),
    ),
    required: allOf(
      between('src/engine/diagnostics/channels.ts', 'interface DiagnosticsMessages {', '\n}\n'),
      /^ {2}'([\w:]+)'/gm,
    ),
  },
  {
    name: 'src/guide/watching.md, fields of the channels',
    listed: column('src/guide/watching.md', 'channel', 2).flatMap(wordsIn),
    required: allOf(
      between('src/engine/diagnostics/channels.ts', 'interface DiagnosticsMessages {', '\n}\n'),
      /^ {4}readonly (\w+)/gm,
    ).filter(field => field !== 'run'),
    also: [
      'run',
      'first',
      'expiring',
      'refused',
      'started',
      'ended',
      'bootstrap',
      'daily',
      'hourly',
    ]
      .concat(['pipeline', 'sync', 'job', 'completed', 'stopped', 'aborted', 'failed'])
      .concat(['delayed', 'retried', 'connected', 'lost']),
  },
  {
    name: 'src/guide/watching.md, metrics',
    listed: column('src/guide/watching.md', 'metric', 0).flatMap(wordsIn),
    required: allOf(
      textOf('src/integrations/opentelemetry/metrics.ts'),
      /\(\s*'(feedmill\.[\w.]+)'/g,
    ),
  },
]

const COMMAND_TABLES: readonly Table[] = [
  {
    name: 'src/guide/command-line.md, commands',
    listed: column('src/guide/command-line.md', 'command', 0).flatMap(wordsIn),
    required: commands,
  },
  {
    name: 'src/guide/command-line.md, exit codes',
    listed: column('src/guide/command-line.md', 'code', 0),
    required: EXIT_CODES.map(([code]) => code),
  },
  {
    name: 'src/guide/inspect.md, rules of drift and their severity',
    listed: rowsOf('src/guide/inspect.md', 'rule').map(([rule, severity]) =>
      `${rule} ${severity}`.replaceAll('`', ''),
    ),
    required: [...FILE_RULES, ...LOST_RULES, ...NEW_RULES, ...COLUMN_RULES].map(
      ({ name, severity }) => `${name} ${severity}`,
    ),
  },
  {
    name: 'src/guide/inspect.md, parts of the report and figures of a column',
    listed: ['part', 'figure'].flatMap(heading =>
      column('src/guide/inspect.md', heading, 0).flatMap(wordsIn),
    ),
    required: allOf(
      between('src/inspect/report.ts', 'interface ColumnProfile {', '\n}\n'),
      /^ {2}readonly (\w+)/gm,
    )
      .concat([
        'dialect',
        'dialectIsGuess',
        ...['format', 'gzip', 'header', 'badRows', 'columns', 'sample', 'failure', 'inferred'],
      ])
      .filter(name => !['name', 'heading', 'type', 'known', 'distinctIsExact'].includes(name)),
  },
  {
    name: 'src/guide/verify.md, rounds',
    listed: column('src/guide/verify.md', 'round', 0).flatMap(wordsIn),
    required: VERIFY_FAULTS.map(({ name }) => name),
  },
  {
    name: 'src/guide/verify.md, environment variables',
    listed: column('src/guide/verify.md', 'variable', 0).flatMap(wordsIn),
    required: Object.values({ ...SERVICE_VARIABLES, ...ROUND_VARIABLES }).filter(
      name => name !== SERVICE_VARIABLES.profile && name !== SERVICE_VARIABLES.credentials,
    ),
  },
  {
    name: 'bench/README.md, options of `bench` and `bench:peers`',
    listed: column('bench/README.md', 'option of `bench` and `bench:peers`', 0).flatMap(cell =>
      allOf(cell, /(--[\w-]+)/g),
    ),
    required: allOf(USAGE, /\[(--[\w-]+)/g),
  },
  {
    name: 'CONTRIBUTING.md and the READMEs, scripts of package.json',
    listed: mentionedScripts,
    required: scriptNames.filter(name => !INNER_SCRIPTS.includes(name)),
    also: scriptNames,
  },
]

const SERVICE_TABLES: readonly Table[] = [
  {
    name: 'src/guide/service.md, operations',
    listed: column('src/guide/service.md', 'part', 1).flatMap(wordsIn),
    required: Object.keys(OPERATIONS),
    also: ['publicKeyObject', 'isExpired'],
  },
  {
    name: 'fixtures/documents/item-columns.tsv',
    listed: dataOf('item-columns.tsv').map(row => nameOf(row.column)),
    required: named(itemColumns, 'item-feeds.md, section 2.2'),
  },
  {
    name: 'fixtures/documents/item-columns-of-the-notes.tsv',
    listed: dataOf('item-columns-of-the-notes.tsv').map(row => nameOf(row.column)),
    required: named(itemColumns, 'service-notes.md, section 6.3'),
  },
  {
    name: 'item-feeds.md, section 2.2',
    listed: columnsIn('item-feeds.md', '2.2'),
    required: named(itemColumns, 'item-feeds.md, section 2.2'),
  },
  {
    name: 'service-notes.md, section 6.3',
    listed: columnsIn('service-notes.md', '6.3'),
    required: named(itemColumns, 'service-notes.md, section 6.3'),
  },
  {
    name: 'service-notes.md, section 6.4',
    listed: columnsIn('service-notes.md', '6.4'),
    required: Object.keys(itemGroupColumns),
  },
  {
    name: 'service-notes.md, section 6.5',
    listed: columnsIn('service-notes.md', '6.5'),
    required: named(itemSnapshotColumns, 'service-notes.md, section 6.5'),
    also: Object.keys(itemSnapshotColumns),
  },
  {
    name: 'service-notes.md, section 6.6',
    listed: columnsIn('service-notes.md', '6.6'),
    required: Object.keys(itemPriorityColumns),
  },
]

const numberIn = (path: string) =>
  Number(/^(?:export )?const FORMAT = (\d+)$/m.exec(textOf(path))?.[1])
const FORMATS = {
  'state folder': numberIn('src/sync/folder/state-paths.ts'),
  'DuckDB tables with the ledger': numberIn('src/sync/target/sql/sql-tables.ts'),
  'PostgreSQL tables with the ledger': numberIn('src/sync/target/sql/sql-tables.ts'),
  'report of `inspect`': INSPECT_VERSION,
  'baseline of `bench`': BENCH_VERSION,
}

const FORMAT_TABLES: readonly Table[] = [
  {
    name: 'src/guide/versions.md, numbers of the formats',
    listed: rowsOf('src/guide/versions.md', 'format').map(([name, number]) => `${name} ${number}`),
    required: Object.entries(FORMATS).map(([name, number]) => `${name} ${number}`),
  },
]

describe.each([
  ['formats', FORMAT_TABLES],
  ['stages', STAGE_TABLES],
  ['error codes', CODE_TABLES],
  ['entries', ENTRY_TABLES],
  ['channels and metrics', WATCHING_TABLES],
  ['commands and scripts', COMMAND_TABLES],
  ['operations and columns', SERVICE_TABLES],
])('the tables of %s', (_, tables) => {
  test.each(tables)('$name', table => {
    expect(table.required.length).toBeGreaterThan(0)
    expect(problemsOf(table)).toEqual([])
  })
})

/** Options that bound what a stage holds or how long it waits; `totalBytes` states a fact. */
const isCap = (option: string) =>
  /^max[A-Z]|^(?:concurrency|retry)$|(?:Bytes|Ms)$/.test(option) && option !== 'totalBytes'

/** The names of all options, as a stage tells them to a caller who gives another. */
function optionsOf(stage: string): string[] {
  if (stage === 'FileSource') return []
  const make = Object.fromEntries(classes)[stage] as new (...args: unknown[]) => object
  try {
    new make({ noOptionAtAll: 1 })
  } catch (error) {
    const [, names] = /the options are (.*)/.exec((error as Error).message) ?? []
    if (names !== undefined) return names.split(', ')
  }
  throw new RangeError(`${stage} does not tell its options`)
}

test.each(stages)('src/README.md, The stages, names the caps of %s', stage => {
  const rows = rowsOf('src/README.md', 'stage')
  const at = rows.findIndex(([name]) => name === stage)
  const caps = rows[at]![3]!.startsWith('the same') ? rows[at - 1]![3]! : rows[at]![3]!
  expect(
    problemsOf({
      name: `src/README.md, The stages, caps of ${stage}`,
      listed: wordsIn(caps),
      required: optionsOf(stage).filter(isCap),
      also: optionsOf(stage),
    }),
  ).toEqual([])
})
