// CSV of batches equals what papaparse makes of their rows, one by one: random cells of every kind,
// in every dialect, with all options.

import { PassThrough } from 'node:stream'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { RowBatch } from '../../../src/engine/codec/row-batch'
import type { TsvParserOptions } from '../../../src/engine/codec/tsv/parser'
import { FeedError } from '../../../src/engine/errors'
import * as kinds from '../../../src/engine/schema/column-kinds'
import { type Columns, defineSchema } from '../../../src/engine/schema/feed-schema'
import { csvBatches } from '../../../src/engine/sinks/csv-batches'
import { type CsvSinkOptions, csvSink } from '../../../src/engine/sinks/csv-sink'
import { batchesIn, cellDialect, tsv, writtenIn } from '../../tsv-text'
import { Bad, base64, cellOf, columns, type Name, plainly, types } from '../codec/any-cells'

const schema = defineSchema({
  name: 'other',
  columns: { ...columns, lacking: kinds.aspects(), gone: kinds.regions() },
})

const batchesOf = (bytes: string | Uint8Array, options: Partial<TsvParserOptions<Columns>> = {}) =>
  batchesIn(bytes, { schema, ...options })

/** What the sink writes, or the error that it throws, of batches or of their rows. */
async function written(items: readonly unknown[], options: CsvSinkOptions): Promise<string> {
  const target = new PassThrough()
  const chunks: Buffer[] = []
  target.on('data', chunk => chunks.push(chunk))
  const sink = csvSink<unknown>(target, options as CsvSinkOptions<never>)
  try {
    await sink.open?.()
    for (const item of items) await sink.write(item)
    await sink.prepare?.()
    await sink.commit()
  } catch (error) {
    if (!FeedError.is(error)) throw error
    return `${error.code}: ${error.message}`
  }
  return Buffer.concat(chunks).toString()
}

async function expectSame(batches: readonly RowBatch<Columns>[], options: CsvSinkOptions) {
  // Rows in an array go to papaparse.
  const rows = batches.map(batch => [...batch])
  const result = await written(batches, options)
  expect(result).toBe(await written(rows, options))
  return result
}

/** Whether papaparse is left out for whole batches. */
function isWritten(batch: RowBatch<Columns>, delimiter = ','): boolean {
  const rules = {
    delimiter,
    neutralizes: true,
    areChosen: true,
    textOf: () => '',
    lineOf: () => '',
  }
  return csvBatches(rules, batch.header, ['text']) !== undefined
}

const file = types
const names = [...file, 'own\\"', 'lacking', 'gone']
const sign = fc.constantFrom(
  '=',
  '+',
  '-',
  '@',
  '＝',
  ' ',
  '\u00a0',
  '\u200b',
  '\ufeff',
  '\x7f',
  '',
)
const row = fc.tuple(
  ...[...file, 'text' as const].map((name: Name) =>
    fc.oneof(
      { weight: 1, arbitrary: fc.constant('') },
      { weight: 7, arbitrary: cellOf[name] },
      {
        weight: 2,
        arbitrary: fc.tuple(sign, cellOf[name], sign).map(parts => parts.join('')),
      },
    ),
  ),
)

test('every kind of cell, in every dialect, with all options', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(row, { minLength: 1, maxLength: 4 }),
      fc.record({
        delimiter: fc.constantFrom(',', ';', '\t', '|', '::', '.', '-'),
        neutralizeFormulas: fc.boolean(),
        columns: fc.shuffledSubarray(names, { minLength: 1 }),
      }),
      cellDialect,
      fc.boolean(),
      async (cells, options, dialect, hasBad) => {
        const bytes = cells
          .map(texts =>
            texts
              .map((text, n) => {
                const shown = text.replaceAll('\0', '')
                // A mark at the start of a file is no part of its first cell.
                return n > 0 ? shown : shown.replace(/^\ufeff+/, '') || 'a'
              })
              .map((text, n) =>
                (!hasBad && plainly((file[n] ?? 'text') as Name, text) instanceof Bad) ||
                (dialect.quoting === 'none' &&
                  (/[\n\r"\\]/.test(text) || text.includes(dialect.delimiter)))
                  ? ''
                  : writtenIn(dialect, text),
              )
              .join(dialect.delimiter),
          )
          .join('\n')
        const headed = { ...dialect, header: [...file, 'own\\"'] }
        await expectSame(batchesOf(bytes, { dialect: headed, batchBytes: 256 }), options)
      },
    ),
    { numRuns: 500 },
  )
})

test('every first character, alone, before text and before a sign', async () => {
  const codes = Array.from({ length: 0x11000 }, (_, n) => n)
  const more = [0x110bd, 0x13430, 0x1bca0, 0x1d173, 0x1f600, 0x20000, 0xe0001, 0xe0020, 0x10fffd]
  const texts = [...codes, ...more]
    .filter(code => code !== 0 && (code < 0xd800 || code > 0xdfff))
    .flatMap(code => {
      const char = String.fromCodePoint(code)
      return [char, `${char}a`, `${char}=1`]
    })
    .filter(text => !/[\t\n\r"]/.test(text))
  const batches = batchesOf(tsv([['text', 'extra'], ...texts.map(text => [text, 'x'])]))
  expect(batches.every(batch => isWritten(batch))).toBe(true)
  await expectSame(batches, { columns: ['text', 'extra'] })
  await expectSame(batches, { columns: ['text'], neutralizeFormulas: false })
}, 30_000)

test('all characters that need quotes, at every place', async () => {
  const cells = [',', ';', '"', '\r', '\n', '\ufeff', '\ufefe', '，', ' ', 'é'].flatMap(char =>
    Array.from({ length: 34 }, (_, n) => `${'a'.repeat(n)}${char}${'b'.repeat(n % 3)}`),
  )
  const rows = cells.map(text => {
    const pair = `${base64(text)}|${base64(text)}:${base64(text)}`
    return [`"${text.replace(/["\\]/g, '\\$&')}"`, pair].join('\t')
  })
  const batches = batchesOf(`text\taspects\n${rows.join('\n')}\n`)
  expect(batches.every(batch => isWritten(batch))).toBe(true)
  for (const delimiter of [',', ';', '\t', '|'])
    await expectSame(batches, { delimiter, columns: ['text', 'aspects', 'lacking'] })
})

test('empty cells of a single column, rows in view, and rows without room', async () => {
  const long = ['x', '"', 'ü'].map(char => char.repeat(270_000))
  const texts = ['a', '', long[0]!, 'b', long[1]!, '=c', long[2]!, '']
  const rows = texts.map(text => `"${text.replace(/["\\]/g, '\\$&')}"\t${text.length}`)
  const batches = batchesOf(`text\tint32\n${rows.join('\n')}\n`, { batchBytes: 500_000 })
  const some = batches.map(batch => batch.select(({ slot }) => slot % 3 !== 1))
  await expectSame(batches, { columns: ['text'] })
  await expectSame(some, { columns: ['int32', 'text'] })
})

test('a file with other columns, and a batch that is decoded', async () => {
  const [first] = batchesOf('text\tint32\na\t1\n')
  const [wider] = batchesOf('text\tint32\textra\nb\t2\tx\n')
  const [narrow] = batchesOf('int32\n3\n')
  const decoded = first!.withDecoded(0, () => 'other')
  expect(await expectSame([first!, decoded, narrow!], { columns: ['text', 'int32'] })).toBe(
    'text,int32\r\na,1\r\nother,1\r\n,3\r\n',
  )
  expect(await expectSame([wider!, narrow!], { columns: ['extra', 'int32'] })).toMatch(
    /^COLUMN_UNKNOWN/,
  )
  expect(await written([narrow!, wider!], {})).toMatch(/^COLUMN_UNKNOWN: row 2 has a column extra/)
})

test('bytes that are no UTF-8', async () => {
  const bytes = Buffer.concat([
    Buffer.from('text\tint32\na'),
    Buffer.from([0xff]),
    Buffer.from('\t1\n'),
  ])
  const batches = batchesOf(bytes, { invalidUtf8: 'replace' })
  expect(await expectSame(batches, { columns: ['text', 'int32'] })).toBe(
    'text,int32\r\na\uFFFD,1\r\n',
  )
})
