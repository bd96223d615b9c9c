// A feed of one's own that a JSON file describes, for those who do not write code: the schema as
// `inspect --write-schema` writes it, and what else a FeedSource has. feed.schema.json at the root of
// the package says the same to editors.

import { createReadStream } from 'node:fs'
import { dirname, resolve } from 'node:path'
import {
  type ColumnSpec,
  type Dialect,
  defineSchema,
  FeedError,
  type FeedSchema,
  is,
  type OptionTable,
  optionInvalid,
  type RequestHeaders,
  readInstant,
  readOptions,
  rulesOf,
  sendableHeaders,
} from '../../engine/index'
import {
  checkedPlace,
  type FeedSource,
  type HashedColumns,
  rulesOfSource,
  type SourceFile,
} from './feed-source'
import { type FileNaming, type FolderFilesOptions, folderFiles } from './folder-files'
import { mistake, placedJson } from './placed-json'

const MOST_BYTES = 2 ** 20

export interface FeedFileOptions {
  /**
   * Returns the value of a variable that `headers` or the salt of `hash` names; undefined where there
   * is none. Default: that of the environment of the process.
   */
  variable?(name: string): string | undefined
  /**
   * Makes the files of a bucket that the file names: `bucketFiles` of `feedmill/s3`. Default: a bucket
   * is refused.
   */
  bucketFiles?(bucket: BucketInFile): Files
}

/** A bucket as a feed file names it: see `BucketFilesOptions` of `feedmill/s3`. */
export interface BucketInFile extends Omit<FileNaming, 'timeOf'> {
  /** `s3://bucket/prefix`, or one object without patterns. */
  readonly bucket: string
  /** The address of a store that is not AWS. Default: that of the environment. */
  readonly endpoint?: string
  /** The region of the bucket. Default: that of the environment. */
  readonly region?: string
}

type Files = Pick<FeedSource, 'files' | 'transport'>

const OPTIONS = {
  variable: [is.callback, (name: string) => process.env[name]],
  bucketFiles: [is.callback, noBuckets],
} satisfies OptionTable<FeedFileOptions>

type Folder = Omit<FolderFilesOptions, 'timeOf'>
type Listed = Pick<SourceFile, 'id' | 'kind'> & { readonly from: string; readonly time: string }

/** Rows with this text in this column remove their keys. */
interface Removed {
  readonly column: string
  readonly equals: string
}

interface FeedParts extends Pick<FeedSource, 'name' | 'key' | 'version' | 'content'> {
  readonly $schema?: string
  readonly columns: FeedSchema['columns']
  readonly dialect?: Dialect
  readonly removed?: Removed
  readonly files: string | readonly Listed[] | Folder | BucketInFile
  readonly headers?: RequestHeaders
  readonly rename?: Readonly<Record<string, string>>
  readonly drop?: readonly string[]
  readonly hash?: HashedColumns
}

/** The parts of parts are checked by tables of their own. */
const FEED = {
  $schema: [is.anyText],
  name: is.filledText,
  columns: is.any,
  dialect: [is.any],
  content: [is.any],
  key: is.filledText,
  version: [is.filledText],
  removed: [is.any],
  files: is.any,
  headers: [ofSecrets, {}],
  rename: [is.anObject, {}],
  drop: [is.texts],
  hash: [ofSecrets],
} satisfies OptionTable<FeedParts>
const REMOVED = { column: is.filledText, equals: is.anyText } satisfies OptionTable<Removed>
const HASH = { columns: is.texts, salt: [is.secretText] } satisfies OptionTable<HashedColumns>
const FOLDER = { folder: is.filePath, full: is.any, changes: is.any } satisfies OptionTable<Folder>
const BUCKET = {
  bucket: is.filledText,
  endpoint: [is.filledText],
  region: [is.filledText],
  full: is.any,
  changes: is.any,
} satisfies OptionTable<BucketInFile>
const LISTED = {
  id: is.any,
  from: is.filledText,
  kind: is.any,
  time: is.anyText,
} satisfies OptionTable<Listed>

const REFERENCE = /\$\{([A-Za-z_]\w*)\}/g
/** Headers that have no secret. */
const OPEN_HEADER = /^(?:accept(?:-[a-z]+)?|user-agent)$/i
const MAY_BE_SECRET = /[\w+/=~.-]{16}/

/**
 * Reads a feed of your own that a JSON file describes: src/guide/follow-own-feed.md has its parts,
 * and feed.schema.json of the package is their JSON Schema. Relative paths in it begin at its folder.
 * @throws FeedError OPTION_INVALID with the line and the column of the first mistake
 * @example
 * ```ts
 * import { mkdirSync, writeFileSync } from 'node:fs'
 * import { readFeedFile, sync } from 'feedmill/sync'
 *
 * mkdirSync('by-json')
 * writeFileSync('by-json/stock.tsv', 'sku\tstock\nA-1\t12\n')
 * const columns = { sku: { type: 'text' }, stock: { type: 'int32' } }
 * const feed = { name: 'stock', columns, key: 'sku', files: { folder: '.', full: 'stock.*' } }
 * writeFileSync('by-json/feed.json', JSON.stringify(feed))
 * const source = await readFeedFile('by-json/feed.json')
 * console.log((await sync({ source, folder: 'stock-by-json' }).summary).rows)
 * // => 1
 * ```
 */
export async function readFeedFile(
  path: string,
  options: FeedFileOptions = {},
): Promise<FeedSource> {
  const { variable, bucketFiles } = readOptions(options, OPTIONS)
  const text = await textOf(is.filePath('path', path))
  const json = placed(path, '', () => placedJson(text))
  const at: At = (part, read) =>
    placed(path, part, read, option => json.placeOf(`${part}.${option}`, option))
  const file = at('', () => readOptions(json.value as FeedParts, FEED, 'the feed', ''))
  const { name, content, version, dialect, drop, rename } = file
  const part = <T extends object>(option: string, value: T | undefined, table: OptionTable<T>) =>
    value && at(option, () => readOptions(value, table, option) as T)
  const removed = part('removed', file.removed, REMOVED)
  const hash = part('hash', file.hash, HASH)
  const { columns } = at('columns', () => defineSchema({ name, columns: file.columns }))
  const kept = Object.keys(columns).filter(column => !drop?.includes(column))
  const named = (option: string, column: string, others: readonly string[]) =>
    at('', () => {
      if (others.includes(column)) return column
      throw optionInvalid(option, 'a column of columns that is neither dropped nor hashed', column)
    })
  for (const [n, column] of drop?.entries() ?? []) named(`drop[${n}]`, column, Object.keys(columns))
  for (const column of Object.keys(rename)) named(`rename.${column}`, column, kept)
  if (removed !== undefined) {
    const plain = kept.filter(column => !hash?.columns.includes(column))
    named('removed.column', removed.column, plain)
  }
  const storedName = (column: string) => (Object.hasOwn(rename, column) ? rename[column]! : column)
  const stored = kept.map((column): [string, ColumnSpec] => {
    const spec = columns[column]!
    const { required, notNull, aliases = [] } = spec
    const isRenamed = storedName(column) !== column
    return [
      storedName(column),
      {
        ...(hash?.columns.includes(column) ? { type: 'text', notNull } : spec),
        required: required === true || column === removed?.column,
        aliases: isRenamed ? [column, ...aliases] : aliases,
      } as ColumnSpec,
    ]
  })
  const schema = at('rename', () => {
    if (new Set(stored.map(([column]) => column)).size < stored.length)
      throw mistake('rename', 'rename must give each column another name')
    return defineSchema({ name, columns: Object.fromEntries(stored) })
  })
  if (dialect !== undefined) at('dialect', () => rulesOf(dialect, schema))
  const headers = at('headers', () => headersOf(file.headers, variable))
  const salt = at('hash', () => hash?.salt && filled('hash.salt', hash.salt, /./, variable))
  const source: FeedSource = {
    name,
    schema,
    key: storedName(file.key),
    ...(version !== undefined && { version: storedName(version) }),
    ...(removed && { isRemoved: row => row.text(storedName(removed.column)) === removed.equals }),
    ...(dialect && { dialect }),
    ...(content && { content }),
    onlySchema: drop !== undefined,
    ...(hash && { hash: { columns: hash.columns.map(storedName), ...(salt && { salt }) } }),
    ...filesOf(file.files, dirname(path), at, bucketFiles),
    headers,
  }
  at('', () => rulesOfSource(source))
  return source
}

/** Checks for an object, and shows no text at its place, which may be a secret. */
function ofSecrets<T extends object>(option: string, value: T): T {
  return is.anObject(option, typeof value === 'object' ? value : (undefined as never))
}

type At = <T>(part: string, read: () => T) => T

function filesOf(
  files: FeedParts['files'],
  base: string,
  at: At,
  bucketFiles: NonNullable<FeedFileOptions['bucketFiles']>,
): Files {
  if (typeof files === 'string') {
    if (/^s3:/i.test(files)) return at('files', () => bucketFiles({ bucket: files }))
    const place = at('', () => checkedPlace('files', files))
    return { files: typeof place === 'string' ? resolve(base, place) : place }
  }
  if (typeof files === 'object' && 'bucket' in files)
    return at('files', () => {
      readOptions(files, BUCKET, 'files')
      return bucketFiles(files)
    })
  if (!Array.isArray(files))
    return at('files', () => {
      const folder = readOptions(files as Folder, FOLDER, 'files') as Folder
      return { files: folderFiles({ ...folder, folder: resolve(base, folder.folder) }) }
    })
  const listed = files.map((file: Listed, n) =>
    at(`files[${n}]`, () => {
      const { id, from, kind, time: text } = readOptions(file, LISTED, `files[${n}]`)
      const time = readInstant(text)
      if (time === undefined)
        throw optionInvalid(`files[${n}].time`, 'a time such as 2026-03-01T12:00:00Z', text)
      return { id, kind, time, from: /^https?:/i.test(from) ? from : resolve(base, from) }
    }),
  )
  return { files: listed }
}

function noBuckets(): never {
  throw mistake('bucket', 'a bucket needs the option bucketFiles of readFeedFile')
}

type Variable = NonNullable<FeedFileOptions['variable']>

function headersOf(headers: RequestHeaders, variable: Variable): RequestHeaders {
  const filledIn = Object.entries(headers).map(([header, value]) => {
    const option = `headers.${header}`
    if (OPEN_HEADER.test(header)) return [header, filled(option, value, /(?!)/, variable)]
    if (!is.secretText(option, value).match(REFERENCE)) throw secretInFile(option)
    return [header, filled(option, value, MAY_BE_SECRET, variable)]
  })
  return sendableHeaders(Object.fromEntries(filledIn))
}

/**
 * Puts the values of variables in the places of their names.
 * @param secret what may not stand beside them
 */
function filled(option: string, value: string, secret: RegExp, variable: Variable): string {
  if (secret.test(is.secretText(option, value).replace(REFERENCE, ' ').trim()))
    throw secretInFile(option)
  return value.replace(REFERENCE, (_, name: string) => {
    const found = variable(name)
    if (found) return found
    throw mistake(option, `${option} needs the variable ${name} of the environment`)
  })
}

function secretInFile(option: string): FeedError {
  const way = 'write the name of a variable of the environment in its place, as in'
  return mistake(option, `${option} may be a secret: ${way} "\${FEED_TOKEN}"`)
}

async function textOf(path: string): Promise<string> {
  const blocks: Buffer[] = await createReadStream(path, { end: MOST_BYTES })
    .toArray()
    .catch(cause => {
      throw refused(path, `it cannot be read (${cause.code})`, cause)
    })
  const bytes = Buffer.concat(blocks)
  if (bytes.length <= MOST_BYTES) return bytes.toString()
  throw refused(path, `it is larger than ${MOST_BYTES} bytes`)
}

/** Makes the error of a part one that names the file and the place. */
function placed<T>(
  path: string,
  part: string,
  read: () => T,
  placeOf = (place: string) => place,
): T {
  try {
    return read()
  } catch (error) {
    if (!FeedError.is(error)) throw error
    const { option = part } = error.context as { readonly option?: string }
    const place = placeOf(option.replace(/^source\./, ''))
    throw refused(`${path}:${place}`, error.message.replace(/^source\./, ''), error)
  }
}

function refused(place: string, reason: string, cause?: unknown): FeedError {
  const expected = 'a JSON file that describes a feed'
  const context = { option: 'source', expected, received: reason }
  return new FeedError('OPTION_INVALID', `${place}: ${reason}`, context, { cause })
}
