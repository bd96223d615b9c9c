// A feed of one's own, as the caller describes it: its name, its rows and its list of files; with
// its checks. own-source.ts follows it.

import {
  type CellType,
  type Columns,
  checkedSchema,
  compareKeys,
  type Dialect,
  defineSchema,
  type ExpectedFile,
  excerpt,
  expectedFile,
  FeedError,
  type FeedSchema,
  type FileIdentity,
  type HeadersProvider,
  is,
  noPromise,
  type OptionTable,
  optionInvalid,
  type RangeTransport,
  type RequestHeaders,
  type Row,
  readOptions,
  requestUrl,
  rulesOf,
  storedRows,
  type Version,
  versionMissing,
} from '../../engine/index'
import { isRowError } from '../../state/index'
import type { RowRules } from '../file/row-rules'
import { OWN, type OwnId } from '../file-id'
import type { OpenedFile } from './place-blocks'

/** A path, or an http or https address. */
export type FilePlace = string | URL

/** One file of a feed of your own. */
export interface SourceFile {
  /**
   * What tells the file from all others of the feed: at most 1,024 characters. A file is applied
   * once. Whatever else the list says later of a file that was applied is ignored, so a file that
   * is replaced needs another identifier.
   */
  readonly id: string
  /**
   * Where the file is, plain or as Decompress reads it (gzip, Zstandard, ZIP): a path, an http or
   * https address, or a function that returns one of them, for an address that ends, or that opens
   * the file itself. The function is called before each download, and again where the server refuses
   * the address or the bytes end early.
   */
  readonly from: FilePlace | FileOpener
  /** Whether the file has all rows, or those that are new or have changed. */
  readonly kind: 'full' | 'changes'
  /**
   * The time at which the content of the file was true; of a full file, at which its export began.
   * Files are applied in this order, and none from before the newest full file is.
   */
  readonly time: Date
  /**
   * The size and the SHA-256 of the file as it lies there. They prove the file where its server does
   * not, and a download that was interrupted goes on in a later run. Default: none.
   */
  readonly expected?: ExpectedFile
}

/** Where a download begins. */
export interface OpenAt {
  /** The first byte that is wanted: those before it are there. */
  readonly offset: number
  /** Aborted where the run is stopped. */
  readonly signal: AbortSignal
}

/** Returns a place, or the bytes of a file from an offset on. */
export type FileOpener = (at: OpenAt) => FilePlace | OpenedFile | Promise<FilePlace | OpenedFile>

type FileList = readonly SourceFile[]

/** Returns the files of a feed. `signal` is aborted where the run is stopped. */
export type FileLister = (at: Pick<OpenAt, 'signal'>) => FileList | Promise<FileList>

/** Columns whose cells are stored as their hashes. */
export interface HashedColumns<N extends string = string> {
  /**
   * `text` columns of the schema. In place of a cell that is not empty stands the SHA-256 of its text
   * in hexadecimal digits, also for `isRemoved`.
   */
  readonly columns: readonly N[]
  /** A secret that stands before each text that is hashed. Default: none. */
  readonly salt?: string
}

/** A feed of your own: full files and files of changes, with the same columns. */
export interface FeedSource<C extends Columns = Columns> {
  /** The name of the feed in its state folder: at most 64 letters, digits, `_` and `-`. */
  readonly name: string
  /** The columns of the files. */
  readonly schema: FeedSchema<C>
  /**
   * The column of the key, which every file must have: a `text` column, because keys that are equal
   * are so by their text. One row of each key is kept.
   */
  readonly key: keyof C & string
  /**
   * The column that says which of two rows of a key is newer, which every file must have: a
   * `timestamp`, an `int32`, or an `int64` of at most 8,640,000,000,000,000. A row without it is left
   * out; in a full file it keeps its key, and every other row of the key is newer. Of equal versions
   * the row of the later file is newer. Default: none, so that the row of the later file is newer.
   */
  readonly version?: keyof C & string
  /** Tells whether a row removes its key, by true or false. Default: no row does. */
  isRemoved?(row: Row<C>): boolean
  /** How the files are written. Default: as the documented files are. */
  readonly dialect?: Dialect
  /**
   * True where columns that the schema lacks are not stored, and no copy of a whole row is kept:
   * `quarantine` and `keepFileBytes` are refused. Default: false.
   */
  readonly onlySchema?: boolean
  /** Columns that are stored as hashes, which implies `onlySchema`. Default: none. */
  readonly hash?: HashedColumns<keyof C & string>
  /**
   * `'table'` where the files are tables whatever their labels and their first 512 bytes say.
   * Default: none.
   */
  readonly content?: 'table'
  /**
   * The files in any order, or a function that returns them: a run calls it at its start, and with
   * `mode: 'follow'` every `pollMs`. No two full files have one time.
   *
   * Or one place whose content is replaced, a path or an http or https address, which a run asks as
   * often: what stands there is a full file wherever it differs from the one that was applied last.
   * An address is asked with If-None-Match or If-Modified-Since. Where its server states no validator
   * the whole file is fetched each time, into the temporary folder of the system, and its SHA-256
   * tells it apart.
   */
  readonly files: FilePlace | FileList | FileLister
  /** Headers of every request for a file. Default: none. */
  readonly headers?: RequestHeaders | HeadersProvider
  /** Sends the requests. Default: a NodeTransport of the run. */
  readonly transport?: RangeTransport
}

const SOURCE = {
  name: sourceName,
  schema: checkedSchema,
  key: is.any,
  version: is.any,
  isRemoved: [is.callback],
  dialect: is.any,
  onlySchema: [is.flag, false],
  hash: [is.anObject],
  content: [is.choice('table')],
  files: is.any,
  headers: is.any,
  transport: [is.withMethods<RangeTransport>('send')],
} satisfies OptionTable<FeedSource>
const HASH = {
  columns: is.texts,
  salt: [is.secretText],
} satisfies OptionTable<HashedColumns>
const FILE = {
  id: fileId,
  from: fileFrom,
  kind: is.choice('full', 'changes'),
  time: fileTime,
  expected: [expectedFile],
} satisfies OptionTable<SourceFile>
const VERSION_KINDS: readonly CellType[] = ['timestamp', 'int32', 'int64']
const MOST_ID_CHARS = 1024
const ID_EXPECTED = `an identifier of its own, of at most ${MOST_ID_CHARS} characters`
/** A version is also a moment of the changes that it makes. */
const MOST_VERSION = 8.64e15
/** The version of a row of a full file whose own cannot be read: all others are newer. */
const NO_VERSION = -MOST_VERSION - 1

/**
 * Checks a source, and returns what its rows are.
 * @throws FeedError OPTION_INVALID
 */
export function rulesOfSource(source: FeedSource): RowRules {
  const { name, key, version, dialect, content, files, onlySchema, hash } = readOptions(
    source,
    SOURCE,
    'source',
  )
  const schema = schemaOfSource(source)
  rulesOf(dialect, schema)
  if (isPlace(files)) checkedPlace('source.files', files)
  else if (typeof files !== 'function') listedFiles(name, files)
  const fileMs = (row: Row<Columns>) => row.batch.file.lastModified!.getTime()
  const versionOf = (row: Row<Columns>): Version => {
    const generatedMs = fileMs(row)
    const timeMs = version === undefined ? generatedMs : versionIn(row, version, key)
    return { timeMs, removed: isRemoval(source, row), generatedMs }
  }
  // A full file removes the keys that it lacks, and does not lack that of such a row.
  const versionless = (row: Row<Columns>): Version | undefined => {
    if (row.batch.file.kind !== 'full') return undefined
    let removed = false
    try {
      removed = isRemoval(source, row)
    } catch (error) {
      if (!isRowError(error)) throw error
    }
    return { timeMs: NO_VERSION, removed, generatedMs: fileMs(row) }
  }
  const { columns, salt = '' } = hash ? hashedColumns(schema, hash) : { columns: [] }
  const stored = onlySchema || hash ? storedRows(columns, salt) : undefined
  return { schema, key, version, dialect, content, versionOf, versionless, stored }
}

function hashedColumns(schema: FeedSchema, hash: HashedColumns) {
  const read = readOptions(hash, HASH, 'source.hash')
  for (const [n, column] of read.columns.entries())
    if (schema.columns[column]?.type !== 'text')
      throw optionInvalid(`source.hash.columns[${n}]`, 'a text column of the schema', column)
  return read
}

/**
 * Refuses what keeps whole rows beside a source that does not store all of them.
 * @throws FeedError OPTION_INVALID
 */
export function refuseWholeRows(
  { onlySchema = false, hash }: FeedSource,
  options: Readonly<Record<string, unknown>>,
): void {
  if (!onlySchema && hash === undefined) return
  for (const [option, value] of Object.entries(options))
    if (value !== undefined && value !== 'none' && value !== 0)
      throw optionInvalid(option, 'left out beside source.onlySchema and source.hash', value)
}

function isRemoval(source: FeedSource, row: Row<Columns>): boolean {
  if (source.isRemoved === undefined) return false
  const answer = noPromise('source.isRemoved', source.isRemoved(row))
  if (typeof answer === 'boolean') return answer
  const where = `row ${row.position.row} of the file ${row.batch.file.id}`
  throw optionInvalid('source.isRemoved()', `true or false for ${where}`, answer)
}

/** Returns the schema of the files, which must have the key and the version. */
function schemaOfSource({ schema, key, version }: FeedSource): FeedSchema<Columns> {
  const { columns, name } = schema
  const required = (option: string, column: string, kinds: readonly CellType[]) => {
    const spec = columns[column]
    if (spec !== undefined && kinds.includes(spec.type))
      return { [column]: { ...spec, required: true } }
    throw optionInvalid(option, `a column of the schema of the kind ${kinds.join(' or ')}`, column)
  }
  const keys = required('source.key', key, ['text'])
  const versions = version === undefined ? {} : required('source.version', version, VERSION_KINDS)
  return defineSchema({ name, columns: { ...columns, ...keys, ...versions } })
}

function versionIn(row: Row<Columns>, column: string, key: string): number {
  const value = row.get(column) as Date | number | bigint | null
  if (value === null) versionMissing(row, row.ownText(key))
  const version = Number(value)
  if (Math.abs(version) <= MOST_VERSION) return version
  const reason = `a version is at most ${MOST_VERSION}`
  const context = { ...row.position, column, type: 'int64', reason }
  throw new FeedError('CELL_INVALID', `${column}: ${reason}`, context)
}

/** A file of the list under its identity. */
export interface ListedFile {
  readonly id: OwnId
  readonly from: SourceFile['from']
  readonly expected: ExpectedFile | undefined
  /** What its place has stated. Another file there is none of this identifier. */
  readonly identity?: FileIdentity
}

/** Checks a list of files, and returns it in the order of time. @throws FeedError OPTION_INVALID */
export function listedFiles(name: string, files: FileList): readonly ListedFile[] {
  const ids = new Set<string>()
  const fullTimes = new Map<string, string>()
  const listed = is.arrayOf('source.files', files).map((file, n): ListedFile => {
    const option = `source.files[${n}]`
    const { id, from, kind, time, expected } = readOptions(file, FILE, option)
    if (ids.has(id)) throw optionInvalid(`${option}.id`, ID_EXPECTED, id)
    ids.add(id)
    const other = kind === 'full' ? fullTimes.get(time) : undefined
    if (other !== undefined) throw fullTimeTaken(`${option}.time`, { time, id }, other)
    if (kind === 'full') fullTimes.set(time, id)
    return { id: { marketplace: OWN, categoryId: name, feed: OWN, kind, time, id }, from, expected }
  })
  return listed.sort((a, b) => compareFiles(a.id, b.id))
}

function sourceName(option: string, name: string): string {
  if (/^[\w-]{1,64}$/.test(is.anyText(option, name))) return name
  throw optionInvalid(option, 'at most 64 letters, digits, _ and -', name)
}

function fileId(option: string, id: string): string {
  if (is.filledText(option, id).length <= MOST_ID_CHARS && !/\p{Surrogate}/u.test(id)) return id
  throw optionInvalid(option, ID_EXPECTED, id)
}

function fileFrom(option: string, from: SourceFile['from']): SourceFile['from'] {
  if (typeof from !== 'function') checkedPlace(option, from)
  return from
}

function fileTime(option: string, date: Date): string {
  const time = date instanceof Date && !Number.isNaN(date.getTime()) ? date.toISOString() : ''
  if (time.length === 24) return time
  throw optionInvalid(option, 'a Date of a four-digit year', date)
}

/**
 * Returns the error of two full files of one time.
 * @param other the identifier of the other one
 */
export function fullTimeTaken(
  option: string,
  { time, id }: Pick<OwnId, 'time' | 'id'>,
  other: string,
): FeedError {
  const [own, taken] = [id, other].map(each => excerpt(each, 200))
  const expected = `another time for the full file ${own} than that of the full file ${taken} (a correction has a later one)`
  return optionInvalid(option, expected, time)
}

/**
 * Compares files by their time. Of one time the full file is the first; then the `id` decides by code
 * point.
 */
export function compareFiles(a: OwnId, b: OwnId): number {
  if (a.time !== b.time) return a.time < b.time ? -1 : 1
  if (a.kind !== b.kind) return a.kind === 'full' ? -1 : 1
  return compareKeys(a.id, b.id)
}

export function isPlace(files: FeedSource['files']): files is FilePlace {
  return typeof files === 'string' || files instanceof URL
}

/** Returns the last file by {@link compareFiles}; undefined without any. */
export function newest(ids: readonly OwnId[]): OwnId | undefined {
  let last = ids[0]
  for (const id of ids) if (compareFiles(id, last!) > 0) last = id
  return last
}

/** Returns a place as an address, or as a path. @throws FeedError OPTION_INVALID */
export function checkedPlace(option: string, place: FilePlace): URL | string {
  return typeof place === 'string' && !/^https?:/i.test(place)
    ? is.filePath(option, place)
    : requestUrl(option, place)
}
