// A feed of one's own, as the caller describes it: its name, its rows and its list of files; with
// its checks. own-source.ts follows it.

import {
  anyText,
  arrayOf,
  CELL_TYPES,
  type CellType,
  type Columns,
  callback,
  checkedSchema,
  choice,
  type Dialect,
  defineSchema,
  FeedError,
  type FeedSchema,
  filePath,
  filledText,
  type HeadersProvider,
  knownOptions,
  noPromise,
  type OptionNames,
  optionInvalid,
  type RangeTransport,
  type RequestHeaders,
  type Row,
  requestUrl,
  rulesOf,
  type Version,
  versionMissing,
  withMethods,
} from '../../engine/index'
import { compareKeys } from '../../state/index'
import type { RowRules } from '../file/row-rules'
import { OWN, type OwnId } from '../file-id'

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
   * Where the file is, compressed by gzip or not: a path, an http or https address, or a function
   * that returns one of them, for an address that ends. The function is called before each download,
   * and again where the server refuses the address.
   */
  readonly from: FilePlace | (() => FilePlace | Promise<FilePlace>)
  /** Whether the file has all rows, or those that are new or have changed. */
  readonly kind: 'full' | 'changes'
  /**
   * The time at which the content of the file was true; of a full file, at which its export began.
   * Files are applied in this order, and none from before the newest full file is.
   */
  readonly time: Date
}

type FileList = readonly SourceFile[]

/** A feed of your own: full files and files of changes, with the same columns. */
export interface FeedSource<C extends Columns = Columns> {
  /** The name of the feed in its state folder: at most 64 letters, digits, `_` and `-`. */
  readonly name: string
  /** The columns of the files. */
  readonly schema: FeedSchema<C>
  /** The column of the key, which every file must have. The newest row of each key is kept. */
  readonly key: keyof C & string
  /**
   * The column that says which of two rows of a key is newer, which every file must have: a
   * `timestamp`, an `int32`, or an `int64` of at most 8,640,000,000,000,000. A row without it is left
   * out. Of equal versions the row of the later file is newer. Default: none, so that the row of the
   * later file is newer.
   */
  readonly version?: keyof C & string
  /** Tells whether a row removes its key. Default: no row does. */
  isRemoved?(row: Row<C>): boolean
  /** How the files are written. Default: as the documented files are. */
  readonly dialect?: Dialect
  /**
   * The files in any order, or a function that returns them: a run calls it at its start, and with
   * `mode: 'follow'` every `pollMs`. No two full files have one time.
   */
  readonly files: FileList | (() => FileList | Promise<FileList>)
  /** Headers of every request for a file. Default: none. */
  readonly headers?: RequestHeaders | HeadersProvider
  /** Sends the requests. Default: a NodeTransport of the run. */
  readonly transport?: RangeTransport
}

const NAMES: OptionNames<FeedSource> = {
  name: true,
  schema: true,
  key: true,
  version: true,
  isRemoved: true,
  dialect: true,
  files: true,
  headers: true,
  transport: true,
}
const FILE_NAMES: OptionNames<SourceFile> = { id: true, from: true, kind: true, time: true }
const VERSION_KINDS: readonly CellType[] = ['timestamp', 'int32', 'int64']
const MOST_ID_CHARS = 1024
const ID_EXPECTED = `an identifier of its own, of at most ${MOST_ID_CHARS} characters`
/** A version is also a moment of the changes that it makes. */
const MOST_VERSION = 8.64e15

/**
 * Checks a source, and returns what its rows are.
 * @throws FeedError OPTION_INVALID
 */
export function rulesOfSource(source: FeedSource): RowRules {
  const { name, key, version, isRemoved, dialect, files, transport } = knownOptions(
    source,
    NAMES,
    'source',
  )
  if (!/^[\w-]{1,64}$/.test(anyText('source.name', name)))
    throw optionInvalid('source.name', 'at most 64 letters, digits, _ and -', name)
  const schema = schemaOfSource(source)
  rulesOf(dialect, schema)
  if (isRemoved !== undefined) callback('source.isRemoved', isRemoved)
  if (typeof files !== 'function') listedFiles(name, files)
  if (transport !== undefined) withMethods('source.transport', transport, ['send'])
  const versionOf = (row: Row<Columns>, rowKey: string): Version => {
    const generatedMs = row.batch.file.lastModified!.getTime()
    const timeMs = version === undefined ? generatedMs : versionIn(row, version, rowKey)
    const removed = noPromise('source.isRemoved', source.isRemoved?.(row)) === true
    return { timeMs, removed, generatedMs }
  }
  return { schema, key, version, dialect, versionOf }
}

/** Returns the schema of the files, which must have the key and the version. */
function schemaOfSource({ schema, key, version }: FeedSource): FeedSchema<Columns> {
  const { columns, name } = checkedSchema('source.schema', schema)
  const required = (option: string, column: string, kinds = CELL_TYPES) => {
    const spec = columns[column]
    if (spec !== undefined && kinds.includes(spec.type))
      return { [column]: { ...spec, required: true } }
    const which = kinds === CELL_TYPES ? '' : ` of the kind ${kinds.join(' or ')}`
    throw optionInvalid(option, `a column of the schema${which}`, column)
  }
  const keys = required('source.key', key)
  const versions = version === undefined ? {} : required('source.version', version, VERSION_KINDS)
  return defineSchema({ name, columns: { ...columns, ...keys, ...versions } })
}

function versionIn(row: Row<Columns>, column: string, key: string): number {
  const value = row.get(column) as Date | number | bigint | null
  if (value === null) versionMissing(row, key)
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
}

/** Checks a list of files, and returns it in the order of time. @throws FeedError OPTION_INVALID */
export function listedFiles(name: string, files: FileList): readonly ListedFile[] {
  const ids = new Set<string>()
  const fullTimes = new Set<string>()
  const listed = arrayOf('source.files', files).map((file, n): ListedFile => {
    const option = `source.files[${n}]`
    const { id, from, kind, time: date } = knownOptions(file, FILE_NAMES, option)
    const isText =
      filledText(`${option}.id`, id).length <= MOST_ID_CHARS && !/\p{Surrogate}/u.test(id)
    if (!isText || ids.has(id)) throw optionInvalid(`${option}.id`, ID_EXPECTED, id)
    ids.add(id)
    if (typeof from !== 'function') checkedPlace(`${option}.from`, from)
    choice(`${option}.kind`, kind, ['full', 'changes'])
    const time = date instanceof Date && !Number.isNaN(date.getTime()) ? date.toISOString() : ''
    // The texts of four-digit years have the order of time.
    if (time.length !== 24)
      throw optionInvalid(`${option}.time`, 'a Date of a four-digit year', date)
    if (kind === 'full' && fullTimes.has(time))
      throw optionInvalid(`${option}.time`, 'another time than that of each other full file', date)
    if (kind === 'full') fullTimes.add(time)
    return { id: { marketplace: OWN, categoryId: name, feed: OWN, kind, time, id }, from }
  })
  return listed.sort((a, b) => compareFiles(a.id, b.id))
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

/** Returns a place as an address, or as a path. @throws FeedError OPTION_INVALID */
export function checkedPlace(option: string, place: FilePlace): URL | string {
  return typeof place === 'string' && !/^https?:/i.test(place)
    ? filePath(option, place)
    : requestUrl(place, option)
}
