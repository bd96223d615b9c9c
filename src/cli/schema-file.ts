// Reads the schema that a user gives to a command as a file: a JavaScript module, or JSON for those
// who do not write code. defineSchema checks what the file holds.

import { statSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { extname, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import {
  type Dialect,
  defineSchema,
  FeedError,
  type FeedName,
  type FeedSchema,
  schemaOf,
  TsvRowParser,
} from '../index'
import { usageError } from './usage-error'

const MODULES = ['.js', '.mjs', '.cjs']
/**
 * What a feed of one's own has beside its schema, and a single file has no use for. The other parts
 * (`rename`, `drop`, `hash`) would leave a file as it is, so they are refused.
 */
const FEED_PARTS: ReadonlySet<string> = new Set([
  '$schema',
  'key',
  'version',
  'removed',
  'files',
  'headers',
  'content',
])

/**
 * Returns the schema of a file: the default export or the export `schema` of a module, which runs,
 * or the value of a JSON file.
 * @throws FeedError OPTION_INVALID, which says what is wrong with the file
 */
export async function schemaFile(path: string): Promise<FeedSchema> {
  return (await describedFile(path)).schema
}

/** A schema, and how the files are written that it describes. */
export interface DescribedFile {
  readonly schema: FeedSchema
  readonly dialect: Dialect
}

/** Returns the schema as {@link schemaFile} does, with the `dialect` beside its columns, if any. */
export async function describedFile(path: string): Promise<DescribedFile> {
  const extension = extname(path).toLowerCase()
  if (extension !== '.json' && !MODULES.includes(extension))
    throw refused(path, `its name ends with none of .json, ${MODULES.join(', ')}`)
  const isModule = extension !== '.json'
  // The import reads a module again, and a pipe gives its text only once.
  if (isModule && statSync(path, { throwIfNoEntry: false })?.isFIFO())
    throw refused(path, 'a module must be a file, not a pipe')
  const text = await textOf(path)
  const definition = isModule ? await exported(path) : parsed(path, text)
  try {
    const { dialect = {}, ...parts } = Object(definition) as FeedSchema & { dialect?: Dialect }
    const isDescribed = Object.hasOwn(Object(definition), 'dialect')
    const schema = defineSchema(isDescribed ? parts : (definition as FeedSchema))
    // The parser checks the dialect, and that its header fits the schema.
    if (isDescribed) new TsvRowParser({ schema, dialect }).destroy()
    return { schema, dialect }
  } catch (error) {
    if (!FeedError.is(error)) throw error
    throw refused(path, error.message, error)
  }
}

/** Returns what the options `--schema` and `--feed` say of a file; undefined without them. */
export async function describedByOptions({
  feed,
  schema,
}: {
  readonly feed?: FeedName
  readonly schema?: string
}): Promise<DescribedFile | undefined> {
  if (schema !== undefined) return describedFile(schema)
  return feed === undefined ? undefined : { schema: schemaOf(feed), dialect: {} }
}

async function textOf(path: string): Promise<string> {
  try {
    return await readFile(path, 'utf8')
  } catch (error) {
    throw refused(path, `it cannot be read: ${messageOf(error)}`, error)
  }
}

function parsed(path: string, text: string): unknown {
  try {
    const value: unknown = JSON.parse(text)
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return value
    return Object.fromEntries(Object.entries(value).filter(([name]) => !FEED_PARTS.has(name)))
  } catch (error) {
    throw refused(path, `it is not JSON: ${messageOf(error)}`, error)
  }
}

async function exported(path: string): Promise<unknown> {
  let names: { readonly default?: unknown; readonly schema?: unknown; readonly dialect?: unknown }
  try {
    names = await import(/* @vite-ignore */ pathToFileURL(resolve(path)).href)
  } catch (error) {
    throw refused(path, `the module fails: ${messageOf(error)}`, error)
  }
  const definition = names.default ?? names.schema
  if (names.dialect !== undefined) return { ...Object(definition), dialect: names.dialect }
  if (definition !== undefined) return definition
  throw refused(path, 'it has neither a default export nor an export named schema')
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}

function refused(path: string, reason: string, cause?: unknown): FeedError {
  const expected = 'a module or a JSON file with a schema, as defineSchema takes it'
  return usageError('--schema', expected, reason, `${path} cannot be the schema: ${reason}`, cause)
}
