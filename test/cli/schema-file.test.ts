import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { describedFile, schemaFile } from '../../src/cli/schema-file'
import { CELL_TYPES } from '../../src/engine/schema/values'
import { FeedError, itemSchema, pipeline, TsvRowParser } from '../../src/index'

let folder: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'feedmill-schema-'))
})
afterAll(() => rm(folder, { recursive: true }))

/** Each file has a name of its own, because Node loads a module once. */
let files = 0
async function file(extension: string, content: string): Promise<string> {
  const path = join(folder, `schema-${files++}${extension}`)
  await writeFile(path, content)
  return path
}

async function refusal(path: string): Promise<FeedError> {
  const error = await schemaFile(path).catch(thrown => thrown)
  if (!FeedError.is(error)) return expect.fail(`${path} gave ${error}`)
  expect(error.code).toBe('OPTION_INVALID')
  expect(error.context).toMatchObject({ option: '--schema' })
  expect(error.message.startsWith(`${path} cannot be the schema: `)).toBe(true)
  return error
}

const STOCK = `{ name: 'stock', columns: { sku: { type: 'text', required: true }, stock: { type: 'int32' } } }`
const source = pathToFileURL(join(import.meta.dirname, '../../src/index.ts')).href

describe('a file with a schema', () => {
  test.each([
    ['the default export of a module', '.mjs', `export default ${STOCK}`],
    ['the export schema of a module', '.mjs', `export const schema = ${STOCK}`],
    ['module.exports', '.cjs', `module.exports = ${STOCK}`],
    [
      'JSON',
      '.json',
      JSON.stringify({
        name: 'stock',
        columns: { sku: { type: 'text', required: true }, stock: { type: 'int32' } },
      }),
    ],
    [
      'the feed of these columns',
      '.json',
      JSON.stringify({
        $schema: './feed.schema.json',
        name: 'stock',
        columns: { sku: { type: 'text', required: true }, stock: { type: 'int32' } },
        key: 'sku',
        files: 'https://a.example/stock.tsv',
        headers: {},
      }),
    ],
  ])('that is %s reads a file', async (_, extension, content) => {
    const schema = await schemaFile(await file(extension, content))
    expect(schema.name).toBe('stock')
    const [row] = await pipeline([Buffer.from('sku\tstock\nA\t7\n')])
      .to(new TsvRowParser({ schema }))
      .toArray()
    expect([row!.get('sku'), row!.get('stock'), row!.batch.file]).toEqual([
      'A',
      7,
      { feed: 'stock' },
    ])
  })

  test('may use functions of the package', async () => {
    const path = await file(
      '.mjs',
      `import { cell, defineSchema } from '${source}'
       export default defineSchema({ name: 'own', columns: { sku: cell(text => text.length) } })`,
    )
    const schema = await schemaFile(path)
    const [row] = await pipeline([Buffer.from('sku\nABC\n')])
      .to(new TsvRowParser({ schema }))
      .toArray()
    expect(row!.get('sku')).toBe(3)
  })

  test('of the item feed as JSON is that schema', async () => {
    expect(await schemaFile(await file('.json', JSON.stringify(itemSchema)))).toEqual(itemSchema)
  })

  test('as JSON may have every kind but the function of a caller', async () => {
    const parts: Record<string, object> = {
      oneOf: { values: ['a'] },
      list: { separator: '|', element: { type: 'int32' } },
    }
    const columns = Object.fromEntries(CELL_TYPES.map(type => [type, { type, ...parts[type] }]))
    const { cell, ...others } = columns
    const path = await file('.json', JSON.stringify({ name: 'all', columns: others }))
    expect((await schemaFile(path)).columns).toEqual(others)
    const error = await refusal(await file('.json', JSON.stringify({ name: 'a', columns })))
    expect(error.message).toContain('columns.cell.decode must be a function')
  })
})

describe('a dialect beside the columns', () => {
  const dialect = { delimiter: ';', header: ['sku', 'stock'] }
  const json = (value: unknown) =>
    JSON.stringify({ name: 'stock', columns: { sku: { type: 'text' } }, dialect: value })

  test.each([
    ['JSON', '.json', json(dialect)],
    ['a default export', '.mjs', `export default ${json(dialect)}`],
    [
      'a named export',
      '.mjs',
      `export const schema = ${STOCK}; export const dialect = ${JSON.stringify(dialect)}`,
    ],
  ])('of %s is read, and is no part of the schema', async (_, extension, content) => {
    const path = await file(extension, content)
    expect((await describedFile(path)).dialect).toEqual(dialect)
    expect(Object.keys(await schemaFile(path)).sort()).toEqual(['columns', 'name'])
  })

  test('is none where the file has none', async () => {
    expect((await describedFile(await file('.mjs', `export default ${STOCK}`))).dialect).toEqual({})
  })

  test.each([
    ['a wrong delimiter', { delimiter: 'ab' }, 'dialect.delimiter must be one ASCII character'],
    ['an unknown part', { escape: 'x' }, 'escape is not an option'],
    ['other columns', { header: ['a'] }, 'none of them is in it'],
    ['no object', 'comma', 'dialect must be'],
    ['null', null, 'dialect must be'],
  ])('with %s is refused', async (_, value, reason) => {
    expect((await refusal(await file('.json', json(value)))).message).toContain(reason)
  })
})

describe('a file that cannot be the schema tells why', () => {
  test.each([
    [
      'no schema',
      '.mjs',
      'export const other = 1',
      'neither a default export nor an export named schema',
    ],
    [
      'a default export that is a function',
      '.mjs',
      'export default () => 1',
      'schema must be an object',
    ],
    ['a module that throws', '.mjs', 'throw new Error("no luck")', 'the module fails: no luck'],
    ['a module of something else', '.mjs', 'sku\tstock\n', 'the module fails: '],
    ['JSON that is cut', '.json', '{"name":"a"', 'it is not JSON: '],
    ['JSON that is a list', '.json', '[]', 'schema must be an object'],
    ['JSON that is null', '.json', 'null', 'schema must be an object'],
    ['JSON without a name', '.json', '{"columns":{}}', 'name must be text that is not empty'],
    ['JSON without columns', '.json', '{"name":"a"}', 'columns must be an object'],
    ['a drop', '.json', '{"name":"a","columns":{},"drop":["b"]}', 'drop is not an option'],
    ['JSON with more', '.json', '{"name":"a","columns":{},"feed":"b"}', 'feed is not an option'],
    [
      'a wrong column',
      '.json',
      '{"name":"a","columns":{"sku":{"type":"number"}}}',
      "columns.sku.type must be 'text' or ",
    ],
    ['the wrong name', '.yaml', 'name: stock', 'its name ends with none of .json, .js, .mjs, .cjs'],
  ])('%s', async (_, extension, content, reason) => {
    expect((await refusal(await file(extension, content))).message).toContain(reason)
  })

  test('a file that is not there, and a folder', async () => {
    expect((await refusal(join(folder, 'none.mjs'))).message).toContain('cannot be read: ENOENT')
    expect((await refusal(join(folder, 'none.json'))).message).toContain('cannot be read: ENOENT')
    const path = join(folder, 'folder.json')
    await mkdir(path)
    expect((await refusal(path)).message).toContain('cannot be read: EISDIR')
  })
})
