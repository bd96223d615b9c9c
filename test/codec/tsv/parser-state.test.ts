// A parser that goes on where another one was left: between any two pushes, with the rows,
// positions and counts of one that was not.

import fc from 'fast-check'
import { expect, test } from 'vitest'
import { TsvParser, type TsvParserState } from '../../../src/codec/tsv/parser'
import { text } from '../../../src/schema/column-kinds'
import { defineSchema } from '../../../src/schema/feed-schema'

const schema = defineSchema({
  name: 'item',
  columns: {
    a: text(),
    b: text(),
  },
})
const SMALL = { batchBytes: 64, maxRowBytes: 64, onBadRow: 'skip' } as const

/**
 * Rows good and bad: quotes that are closed, run over lines or never end, cells too few and too
 * many, rows too long, bytes that are no UTF-8.
 */
const line = fc.constantFrom(
  'x\ty\n',
  'ä\t"q\tr"\n',
  '"two\nlines"\tz\n',
  '"never closed\tb\n',
  'short\n',
  'a\tb\tc\n',
  '\n',
  `${'long'.repeat(40)}\tb\n`,
  '\xff\xfe\tb\n',
)
const file = fc
  .array(line, { maxLength: 40 })
  .map(lines => Buffer.from(`A\tb\n${lines.join('')}`, 'latin1'))

/** The rows of a file that is pushed in two parts, and what a parser says of itself at its end. */
function read(parts: readonly Uint8Array[], isResumed: boolean) {
  const rows: unknown[] = []
  let parser = new TsvParser({ schema, ...SMALL })
  const take = (batches: ReturnType<typeof parser.push>) => {
    for (const batch of batches)
      for (const row of batch) rows.push([row.text('a'), row.text('b'), row.position])
  }
  for (const part of parts) {
    take(parser.push(part))
    const start = isResumed ? copyOf(parser.saveState()) : undefined
    if (start) parser = new TsvParser({ schema, ...SMALL, start })
  }
  take(parser.end())
  return { rows, badRows: parser.badRows, replacedRows: parser.replacedRows }
}

/** Returns the state as it comes back from a store. */
function copyOf(state: TsvParserState | undefined): TsvParserState | undefined {
  if (state === undefined) return undefined
  const { rest, ...text } = state
  return { ...JSON.parse(JSON.stringify(text)), rest: Uint8Array.from(rest) }
}

test('a parser that goes on from a saved state reads what one reads that was not interrupted', () => {
  fc.assert(
    fc.property(file, fc.nat(), fc.nat(), (bytes, first, second) => {
      const cuts = [first % (bytes.length + 1), second % (bytes.length + 1)].sort((a, b) => a - b)
      const parts = [
        bytes.subarray(0, cuts[0]),
        bytes.subarray(cuts[0], cuts[1]),
        bytes.subarray(cuts[1]),
      ]
      expect(read(parts, true)).toEqual(read(parts, false))
    }),
    { numRuns: 300 },
  )
})

test('there is no state before the header was read', () => {
  const parser = new TsvParser({ schema })
  expect([...parser.push(Buffer.from('A\tb'))]).toEqual([])
  expect(parser.saveState()).toBeUndefined()
})
