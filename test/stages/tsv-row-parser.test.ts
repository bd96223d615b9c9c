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
])('%s: %s is OPTION_INVALID', (option, value) => {
  expect(() => new TsvRowParser({ [option]: value } as TsvRowParserOptions<Record<never, never>>)).toThrow(
    expect.objectContaining({ code: 'OPTION_INVALID', context: expect.objectContaining({ option }) }),
  )
})

test('options that are undefined have their defaults', async () => {
  const options = { batchBytes: undefined, maxRowBytes: undefined, onBadRow: undefined, invalidUtf8: undefined, schema: undefined }
  const parser = new TsvRowParser(options as unknown as TsvRowParserOptions<Record<never, never>>)
  parser.end(Buffer.from('id\n1\n'))
  const ids: string[] = []
  for await (const batch of parser) for (const row of batch) ids.push(row.text('id'))
  expect(ids).toEqual(['1'])
})
