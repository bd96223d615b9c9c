// What the second argument of `feedmill convert` may be, and the sink of each form. A sink that needs
// optional packages is loaded with its first use.

import { basename } from 'node:path'
import {
  csvSink,
  ndjsonSink,
  type RowBatch,
  type Sink,
  type SinkTarget,
  sqliteSink,
} from '../../index'
import { writablePlace } from '../bucket-place'
import { usageError } from '../usage-error'

/** What the sinks need beside the place. */
export interface OutputSettings {
  readonly table: string
  readonly mode: 'create' | 'replace' | 'append'
}

export type RowSink = Sink<RowBatch>

interface OutputForm {
  /** The form for people. */
  readonly form: string
  readonly matches: RegExp
  /** The value of `--format`, where the form is a file of one format. */
  readonly format?: string
  open(target: SinkTarget, settings: OutputSettings, name: string): Promise<RowSink> | RowSink
}

const GZIP = /\.gz$/i
const compression = (name: string) => (GZIP.test(name) ? ({ compress: 'gzip' } as const) : {})

const FORMS: readonly OutputForm[] = [
  {
    form: 'FILE.ndjson',
    matches: /\.(?:ndjson|jsonl)(?:\.gz)?$/i,
    format: 'ndjson',
    open: (place, _, name) => ndjsonSink(place, compression(name)),
  },
  {
    form: 'FILE.csv',
    matches: /\.csv(?:\.gz)?$/i,
    format: 'csv',
    // The cells of a file stay as they are: what a spreadsheet makes of them is for it to decide.
    open: (place, _, name) => csvSink(place, { neutralizeFormulas: false, ...compression(name) }),
  },
  {
    form: 'FILE.parquet',
    matches: /\.parquet$/i,
    format: 'parquet',
    open: async place => (await import('../../parquet')).parquetSink(place),
  },
  {
    form: 'FILE.arrow',
    matches: /\.arrow$/i,
    format: 'arrow',
    open: async place => (await import('../../arrow')).arrowSink(place),
  },
  {
    form: 'FILE.sqlite',
    matches: /\.sqlite3?$/i,
    open: (place, table) => sqliteSink(place as string, table),
  },
  {
    form: 'FILE.duckdb',
    matches: /^duckdb:.|\.duckdb$/i,
    open: async (place, table) =>
      (await import('../../duckdb')).duckdbSink((place as string).replace(/^duckdb:/, ''), table),
  },
  {
    form: 'postgres://user@host/database?schema=public',
    matches: /^postgres(?:ql)?:/,
    open: async (place, table) =>
      (await import('../../postgres')).postgresSink(place as string, table),
  },
]

export const OUTPUT_FORMS = FORMS.map(({ form }) => form).join(', ')
export const FORMATS = FORMS.flatMap(({ format }) => format ?? [])

const STANDARD_OUTPUT = '-'

/**
 * Makes the sink of a place.
 * @param format the format of a file whose name does not say it
 * @throws FeedError OPTION_INVALID, DEPENDENCY_MISSING
 */
export async function outputOf(
  place: string,
  format: string | undefined,
  settings: OutputSettings,
): Promise<RowSink> {
  const found =
    format === undefined
      ? FORMS.find(({ matches }) => matches.test(place))
      : FORMS.find(form => form.format === format)
  if (found !== undefined) {
    const isFile = found.format !== undefined
    const target = isFile ? await writablePlace(place) : place
    return found.open(place === STANDARD_OUTPUT ? process.stdout : target, settings, place)
  }
  // The value is left out of the error, because it may have a password.
  throw usageError('out', `a name such as ${OUTPUT_FORMS}, or come with --format`, 'another text')
}

/** Returns the name of a table for a file: its name without its endings. */
export function tableNameOf(from: string): string {
  const [name = ''] = basename(from.split(/[?#]/, 1)[0]!).split('.')
  return name === '' || name === '-' ? 'rows' : name
}
