// Compares the parsers without a stream with their stages, however the input is cut.

import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { FeedError } from '../../../src/engine/errors'
import { asFeedError } from '../../../src/engine/errors'
import { pipeline } from '../../../src/engine/pipeline/pipeline'
import { createColumnParser, createRowParser } from '../../../src/engine/push/parsers'
import { quarantine } from '../../../src/engine/quarantine/quarantine'
import { decimal, int32 } from '../../../src/engine/schema/column-kinds'
import { defineSchema } from '../../../src/engine/schema/feed-schema'
import { TsvColumnParser } from '../../../src/engine/stages/tsv-column-parser'
import { TsvRowParser } from '../../../src/engine/stages/tsv-row-parser'
import { richCell, tsv } from '../../tsv-text'
import { cutAt, pushed, shownError } from './pushed'

const schema = defineSchema({ name: 'other', columns: { n: int32(), price: decimal() } })
const HEADER = ['n', 'price', 'other']

/** Rows, of which some are bad or have bad cells, and a piece that is cut off. */
const file = fc
  .tuple(
    fc.array(
      fc.oneof(
        fc.tuple(fc.integer().map(String), fc.constantFrom('', '1.5', 'cheap'), richCell),
        fc.tuple(fc.constantFrom('', '7')),
      ),
      { maxLength: 20 },
    ),
    fc.nat(6),
  )
  .map(([rows, cutOff]) => {
    const bytes = Buffer.from(tsv([HEADER, ...rows]))
    return bytes.subarray(0, Math.max(0, bytes.length - cutOff))
  })
const places = fc.array(fc.nat(400), { maxLength: 12 })

interface Outcome {
  readonly values: readonly unknown[]
  readonly error: ReturnType<typeof shownError>
}

async function outcomeOf<Out>(
  outputs: AsyncIterable<Out>,
  valuesOf: (output: Out) => readonly unknown[],
): Promise<Outcome> {
  const values: unknown[] = []
  let error: FeedError | undefined
  try {
    for await (const output of outputs) values.push(...valuesOf(output))
  } catch (cause) {
    error = asFeedError(cause, 'test')
  }
  return { values, error: shownError(error) }
}

const rowValues = (batch: Iterable<{ position: object; toStrings(): object }>) =>
  Array.from(batch, row => [row.position, row.toStrings()])
const columnValues = (batch: Iterable<object>) => JSON.parse(JSON.stringify([...batch]))

describe('the outputs and errors are those of the stage, however the input is cut', () => {
  test.each(['throw', 'skip'] as const)('of rows, with bad rows by %s', async onBadRow => {
    await fc.assert(
      fc.asyncProperty(file, places, async (bytes, cuts) => {
        const options = { schema, onBadRow, batchBytes: 64 }
        const parser = createRowParser(options)
        const { outputs, error } = pushed(parser, cutAt(bytes, cuts))
        const stage = new TsvRowParser(options)
        const batches = pipeline([bytes]).to(stage).batches()
        expect({ values: outputs.flatMap(rowValues), error: shownError(error) }).toEqual(
          await outcomeOf(batches, rowValues),
        )
        const { columnNames, badRows, replacedRows } = stage
        expect(parser.facts).toEqual({ columnNames, badRows, replacedRows })
        expect(outputs.every(({ confirmed }) => confirmed === (error === undefined))).toBe(true)
      }),
    )
  })

  test.each(['throw', 'null'] as const)('of columns, with bad cells by %s', async onBadCell => {
    await fc.assert(
      fc.asyncProperty(file, places, async (bytes, cuts) => {
        const options = { schema, onBadRow: 'skip', onBadCell, batchBytes: 64 } as const
        const parser = createColumnParser(options)
        const { outputs, error } = pushed(parser, cutAt(bytes, cuts))
        const stage = new TsvColumnParser(options)
        const batches = pipeline([bytes]).to(stage).batches()
        expect({ values: outputs.flatMap(columnValues), error: shownError(error) }).toEqual(
          await outcomeOf(batches, columnValues),
        )
        const { columnNames, badRows, replacedRows, badCells } = stage
        expect(parser.facts).toEqual({ columnNames, badRows, replacedRows, badCells })
      }),
    )
  })
})

test('an empty input is TSV_EMPTY, unless the dialect names the columns', () => {
  expect(pushed(createRowParser(), []).error?.code).toBe('TSV_EMPTY')
  const named = createRowParser({ dialect: { header: ['a'] } })
  expect(pushed(named, []).outputs.map(({ length }) => length)).toEqual([0])
})

test('a function of the caller may close the engine', () => {
  const parser: ReturnType<typeof createRowParser> = createRowParser({
    batchBytes: 64,
    onBadRow: () => parser.close(),
  })
  const outputs = [...parser.push(Buffer.from(`a\tb\n1\n${'4\t5\n'.repeat(99)}`))]
  expect(outputs).toEqual([])
  expect(() => parser.end()).toThrow(expect.objectContaining({ code: 'STAGE_DESTROYED' }))
})

test.each([
  ['rows', createRowParser],
  ['columns', createColumnParser],
] as const)(
  'a function that closes the engine of %s while it ends: no silent loss',
  (_, create) => {
    const file = `a\tb\n${'1\t2\n'.repeat(99)}3\n${'4\t5\n'.repeat(99)}`
    for (const at of [0, 5, 300, file.length]) {
      for (const options of [{}, { batchBytes: 64 }]) {
        const parser: ReturnType<typeof createRowParser> = create({
          ...options,
          onBadRow: () => parser.close(),
        }) as never
        const read = () => {
          let rows = 0
          for (const { length } of parser.push(Buffer.from(file.slice(0, at)))) rows += length
          for (const { length } of parser.push(Buffer.from(file.slice(at)))) rows += length
          for (const { length } of parser.end()) rows += length
          return rows
        }
        expect(read).toThrow(expect.objectContaining({ code: 'STAGE_DESTROYED' }))
        expect(() => parser.end()).toThrow(expect.objectContaining({ code: 'STAGE_DESTROYED' }))
      }
    }
  },
)

test('a quarantine is refused, because it has to be waited for', () => {
  const kept = quarantine('unused.ndjson') as never
  for (const [option, make] of [
    ['onBadRow', () => createRowParser({ onBadRow: kept })],
    ['onBadRow', () => createColumnParser({ onBadRow: kept })],
    ['onBadCell', () => createColumnParser({ onBadCell: kept })],
  ] as const)
    expect(make).toThrow(
      expect.objectContaining({
        code: 'OPTION_INVALID',
        context: expect.objectContaining({ option }),
      }),
    )
})
