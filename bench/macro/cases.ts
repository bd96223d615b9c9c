// All measured ways through the file, and which case of the table each stands in. A new contender
// is one file beside this one, and one entry here in both lists. Each is loaded only by the
// processes that run it.

import { ALL_PEERS, type ShapeName } from '../shapes/shape'
import type { MacroCase } from './macro-case'

export const macroCases = {
  zlib: async () => (await import('./zlib')).zlib,
  inflate: async () => (await import('./inflate')).inflate,
  fflate: async () => (await import('./fflate')).fflate,
  gunzip: async () => (await import('./gunzip')).gunzip,
  scan: async () => (await import('./scan')).scan,
  'rows-5': async () => (await import('./rows-5')).rows5,
  'rows-5-of-all': async () => (await import('./rows-5')).rows5OfAll,
  duckdb: async () => (await import('./duckdb')).duckdb,
  split: async () => (await import('./split')).split,
  udsv: async () => (await import('./udsv')).udsv,
  'csv-parse': async () => (await import('./csv-parse')).csvParse,
  'csv-parser': async () => (await import('./csv-parser')).csvParser,
  'fast-csv': async () => (await import('./fast-csv')).fastCsv,
  objects: async () => (await import('./objects')).objects,
  'objects-of-rows': async () => (await import('./objects')).objectsOfRows,
  'udsv-objects': async () => (await import('./udsv-objects')).udsvObjects,
  papaparse: async () => (await import('./papaparse')).papaparse,
  typed: async () => (await import('./typed')).typed,
  'typed-of-rows': async () => (await import('./typed')).typedOfRows,
  'duckdb-typed': async () => (await import('./duckdb-typed')).duckdbTyped,
  'duckdb-typed-1': async () => (await import('./duckdb-typed')).duckdbTypedOneThread,
  'papaparse-typed': async () => (await import('./papaparse-typed')).papaparseTyped,
  columns: async () => (await import('./columns')).columns,
  ndjson: async () => (await import('./ndjson')).ndjson,
  'duckdb-ndjson': async () => (await import('./duckdb-copy')).duckdbNdjson,
  'csv-parse-ndjson': async () => (await import('./ndjson')).csvParseNdjson,
  parquet: async () => (await import('./parquet')).parquet,
  'duckdb-parquet': async () => (await import('./duckdb-copy')).duckdbParquet,
  'hyparquet-writer': async () => (await import('./hyparquet-writer')).hyparquetWriter,
  http: async () => (await import('./http')).http,
  'rss-small': async () => (await import('./rss')).rssSmall,
  'rss-large': async () => (await import('./rss')).rssLarge,
} satisfies Record<string, () => Promise<MacroCase>>

export type MacroCaseName = keyof typeof macroCases

export const MACRO_CASE_NAMES = Object.keys(macroCases) as MacroCaseName[]

/** The cases of the table, each with its contenders in order. */
export const TABLE_CASES = {
  zlib: ['zlib'],
  inflate: ['inflate', 'fflate'],
  gunzip: ['gunzip'],
  scan: ['scan'],
  'rows-5': [
    'rows-5',
    'rows-5-of-all',
    'duckdb',
    'split',
    'udsv',
    'papaparse',
    'csv-parse',
    'csv-parser',
    'fast-csv',
  ],
  objects: ['objects', 'objects-of-rows', 'udsv-objects', 'papaparse'],
  typed: ['typed', 'typed-of-rows', 'duckdb-typed', 'papaparse-typed'],
  columns: ['columns', 'duckdb-typed', 'duckdb-typed-1'],
  ndjson: ['ndjson', 'duckdb-ndjson', 'csv-parse-ndjson'],
  parquet: ['parquet', 'duckdb-parquet', 'hyparquet-writer'],
  http: ['http'],
  rss: ['rss-small', 'rss-large'],
} as const satisfies Record<string, readonly MacroCaseName[]>

/** Peers that are slower than others, or wrong. Only the shapes in `ALL_PEERS` of shape.ts have them. */
const LAGGING_PEERS: readonly MacroCaseName[] = [
  'fflate',
  'split',
  'csv-parser',
  'fast-csv',
  'papaparse',
  'duckdb-typed',
  'duckdb-typed-1',
  'papaparse-typed',
  'duckdb-ndjson',
  'csv-parse-ndjson',
  'duckdb-parquet',
  'hyparquet-writer',
]

/** Cases of this package that have no policy for bad cells, and so fail on a file with some. */
export const FAIL_ON_BAD_CELLS: readonly MacroCaseName[] = ['typed-of-rows', 'ndjson', 'parquet']

/** Those of the cases that are measured on this shape. */
export function casesOn(shape: ShapeName, names: readonly MacroCaseName[]): MacroCaseName[] {
  return names
    .filter(name => ALL_PEERS.has(shape) || !LAGGING_PEERS.includes(name))
    .filter(name => shape !== 'odd-bad' || !FAIL_ON_BAD_CELLS.includes(name))
}

export type TableCase = keyof typeof TABLE_CASES

export const TABLE_CASE_NAMES = Object.keys(TABLE_CASES) as TableCase[]

/** The cases of this package that are published for every shape, on two cores and on one. */
export const SHAPE_CASES = [
  'inflate',
  'gunzip',
  'rows-5',
  'objects',
  'typed',
  'columns',
] as const satisfies readonly (TableCase & MacroCaseName)[]

/** What each does, in a few words. */
export const TABLE_CASE_TITLES: Readonly<Record<TableCase, string>> = {
  zlib: 'the yardstick: node:zlib alone, output dropped',
  inflate: 'the engine alone, output dropped',
  gunzip: 'the stage behind a file, output dropped',
  scan: 'delimiters of the raw bytes in memory',
  'rows-5': 'gzip file to rows, five cells read',
  objects: 'gzip file to plain objects, all cells',
  typed: 'gzip file to fully typed rows',
  columns: 'gzip file to fully typed columns',
  ndjson: 'gzip file to JSON lines, all cells decoded',
  parquet: 'gzip file to Parquet, all cells decoded',
  http: 'rows-5 over HTTP ranges from a loopback server',
  rss: 'peak memory of rows-5',
}
