// What an editor shows for rows of the feeds: the names of the column types, not their tables, and
// the columns as suggestions.
// Long: it starts the language service of the compiler.

import { join } from 'node:path'
import ts from 'typescript'
import { expect, test } from 'vitest'

const ROOT = join(import.meta.dirname, '..', '..', '..')
const FILE = join(ROOT, 'test', 'engine', 'schema', 'shown-types-program.ts')
const PROGRAM = `
import type { RowBatch, Row } from '../../../src/engine/codec/row-batch'
import { decimal, oneOf, text } from '../../../src/engine/schema/column-kinds'
import { defineSchema, type FeedSchema } from '../../../src/engine/schema/feed-schema'
import { type ItemColumns, itemSchema } from '../../../src/engine/schema/feed-schemas'
import { TsvRowParser } from '../../../src/engine/stages/tsv-row-parser'
type OutputOf<S> = S extends { readonly takesItemsOfTheStageBefore: (input: never) => RowBatch<infer C> } ? RowBatch<C> : never
const all = new TsvRowParser({ schema: itemSchema })
const some = new TsvRowParser({ schema: itemSchema, columns: ['itemId'] })
declare const allRows: OutputOf<typeof all>
declare const someRows: OutputOf<typeof some>
const row = allRows.row(0)
const chosenRow = someRows.row(0)
const object = row.toObject()
row.get('')
chosenRow.text('')
const stockColumns = { sku: text({ notNull: true }), price: decimal(), colour: oneOf('red', 'green') }
type StockColumns = Pick<typeof stockColumns, keyof typeof stockColumns>
const named: FeedSchema<StockColumns> = defineSchema({ name: 'stock', columns: stockColumns })
const unnamed = defineSchema({ name: 'stock', columns: { sku: text({ notNull: true }), price: decimal() } })
declare const namedRows: OutputOf<TsvRowParser<typeof named.columns>>
const namedRow = namedRows.row(0)
const price = namedRow.get('price')
const colour = namedRow.get('colour')
const wrong: Row<ItemColumns> = namedRow
`

const { config } = ts.readConfigFile(join(ROOT, 'tsconfig.json'), ts.sys.readFile)
const { options } = ts.parseJsonConfigFileContent(
  { ...config, include: [], files: [] },
  ts.sys,
  ROOT,
)
const service = ts.createLanguageService({
  fileExists: path => path === FILE || ts.sys.fileExists(path),
  readFile: path => (path === FILE ? PROGRAM : ts.sys.readFile(path)),
  directoryExists: ts.sys.directoryExists,
  useCaseSensitiveFileNames: () => ts.sys.useCaseSensitiveFileNames,
  getCompilationSettings: () => options,
  getScriptFileNames: () => [FILE],
  getScriptVersion: () => '1',
  getScriptSnapshot: path => {
    const text = path === FILE ? PROGRAM : ts.sys.readFile(path)
    return text === undefined ? undefined : ts.ScriptSnapshot.fromString(text)
  },
  getCurrentDirectory: () => ROOT,
  getDefaultLibFileName: ts.getDefaultLibFilePath,
})

function shown(name: string): string {
  const info = service.getQuickInfoAtPosition(
    FILE,
    PROGRAM.indexOf(`const ${name} `) + 'const '.length,
  )
  return ts.displayPartsToString(info?.displayParts)
}

function suggested(call: string): string[] | undefined {
  return service
    .getCompletionsAtPosition(FILE, PROGRAM.indexOf(call) + call.length, {})
    ?.entries.map(({ name }) => name)
}

test('a row is shown with the name of its columns', () => {
  expect(shown('row')).toBe('const row: Row<ItemColumns>')
  expect(shown('chosenRow')).toBe('const chosenRow: Row<Pick<ItemColumns, "itemId">>')
  expect(shown('object')).toBe('const object: RowObject<ItemColumns>')
})

test('a column of a schema of the user is shown by the type of its cells', () => {
  expect(shown('unnamed')).toBe(`const unnamed: FeedSchema<{
    sku: ColumnSpec<string>;
    price: ColumnSpec<Decimal | null>;
}>`)
  expect(shown('namedRow')).toBe('const namedRow: Row<StockColumns>')
  expect(shown('price')).toBe('const price: Decimal | null')
  expect(shown('colour')).toBe('const colour: "red" | "green" | null')
})

test('an error of the compiler names the columns, and does not list them', () => {
  const [message] = service
    .getSemanticDiagnostics(FILE)
    .filter(({ start }) => start === PROGRAM.indexOf('wrong:'))
    .map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, '\n'))
  expect(message?.split('\n')[0]).toBe(
    "Type 'Row<StockColumns>' is not assignable to type 'Row<ItemColumns>'.",
  )
  expect(message?.length).toBeLessThan(800)
})

test('the columns of a row are suggested as names', () => {
  expect(suggested("row.get('")).toEqual(
    expect.arrayContaining(['itemId', 'title', 'localizedAspects']),
  )
  expect(suggested("chosenRow.text('")).toEqual(['itemId'])
})
