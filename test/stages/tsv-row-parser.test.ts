import { expect, test } from 'vitest'
import { TsvRowParser } from '../../src/stages/tsv-row-parser'
import type { TsvRowParserOptions } from '../../src/stages/tsv-stage'

test.each<[string, unknown]>([
  ['batchBytes', 63],
  ['batchBytes', Number.NaN],
  ['maxRowBytes', Number.POSITIVE_INFINITY],
  ['maxRowBytes', '1024'],
  ['onBadRow', 'ignore'],
  ['onBadRow', null],
  ['invalidUtf8', 'keep'],
  ['columns', []],
  ['columns', 'itemId'],
  ['columns', [1]],
])('%s: %s is OPTION_INVALID', (option, value) => {
  expect(() => new TsvRowParser({ [option]: value } as TsvRowParserOptions<Record<never, never>>)).toThrow(
    expect.objectContaining({ code: 'OPTION_INVALID', context: expect.objectContaining({ option }) }),
  )
})

test('columns are those that were given, whatever becomes of the list', async () => {
  const columns = ['a']
  const parser = new TsvRowParser({ columns })
  columns[0] = 'b'
  parser.end(Buffer.from('a\tb\n1\t2\n'))
  const rows: object[] = []
  for await (const batch of parser) for (const row of batch) rows.push(row.toStrings())
  expect(rows).toEqual([{ a: '1' }])
})

test('options that are undefined have their defaults', async () => {
  const options = { batchBytes: undefined, maxRowBytes: undefined, onBadRow: undefined, invalidUtf8: undefined, schema: undefined }
  const parser = new TsvRowParser(options as unknown as TsvRowParserOptions<Record<never, never>>)
  parser.end(Buffer.from('id\n1\n'))
  const ids: string[] = []
  for await (const batch of parser) for (const row of batch) ids.push(row.text('id'))
  expect(ids).toEqual(['1'])
})
