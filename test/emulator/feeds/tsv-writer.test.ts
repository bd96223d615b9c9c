import { parse } from 'csv-parse/sync'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { tsvBlocks, tsvCell, tsvLine } from '../../../src/emulator/feeds/tsv-writer'

const cell = fc.string({
  unit: fc.constantFrom('a', 'é', '日', '🎁', '\t', '"', '\\', '\n', '\r', ' ', "'"),
  maxLength: 6,
})

describe('TSV writer', () => {
  test.each([
    ['plain', 'plain'],
    ['', ''],
    ["it's", "it's"],
    ['a\tb', '"a\tb"'],
    ['15" wide', '"15\\" wide"'],
    ['C:\\', '"C:\\\\"'],
    ['a\nb', '"a\nb"'],
    ['a\rb', '"a\rb"'],
  ])('%j is written as %s', (value, written) => {
    expect(tsvCell(value)).toBe(written)
  })

  test('an independent reader reads every cell back', () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(fc.constant('x'), cell, cell), { maxLength: 5 }), rows => {
        const text = [...tsvBlocks(rows.map(tsvLine), 7)]
          .map(block => Buffer.from(block).toString('utf8'))
          .join('')
        const read = parse(text, {
          delimiter: '\t',
          quote: '"',
          escape: '\\',
          record_delimiter: ['\n', '\r\n'],
        })
        expect(read).toEqual(rows)
      }),
    )
  })

  test('blocks hold whole lines', () => {
    const blocks = [...tsvBlocks(['one\n', 'two\n', 'three\n'], 5)].map(block =>
      Buffer.from(block).toString(),
    )
    expect(blocks).toEqual(['one\ntwo\n', 'three\n'])
    expect([...tsvBlocks([])]).toEqual([])
  })
})
