import { describe, expect, test } from 'vitest'
import type { RowBatch } from '../../../src/engine/codec/row-batch'
import { TsvParser } from '../../../src/engine/codec/tsv/parser'
import type { FeedError } from '../../../src/engine/errors'
import { type ItemColumns, itemSchema } from '../../../src/engine/schema/feed-schemas'
import type { BadCell } from '../../../src/engine/stages/bad-cell-policy'
import { ColumnDecoder, type ColumnDecoderOptions } from '../../../src/engine/stages/column-decoder'

const FILE = [
  'itemId\ttitle\tpriceValue\treturnsAccepted\tlocalizedAspects\textra',
  'v1|1|0\tone\t9.50\ttrue\tQ29sb3I=:UmVk\tx',
  'v1|2|0\ttwo\t9,50\tmaybe\tQ29sb3I:UmVk\ty',
  'v1|3|0\tthree\t\t\t\tz',
  '',
].join('\n')

function batchesOf(text: string): RowBatch<ItemColumns>[] {
  const parser = new TsvParser({ schema: itemSchema, batchBytes: 64 })
  return [...parser.push(Buffer.from(text)), ...parser.end()]
}

async function run(options: ColumnDecoderOptions<ItemColumns>, batches = batchesOf(FILE)) {
  const stage = new ColumnDecoder<ItemColumns>(options)
  const reading = collect(stage)
  for (const batch of batches) stage.write(batch)
  stage.end()
  const output = await reading
  return { stage, output, rows: output.flatMap(batch => [...batch]) }
}

async function collect<T>(items: AsyncIterable<T>): Promise<T[]> {
  const collected: T[] = []
  for await (const item of items) collected.push(item)
  return collected
}

const cells = (rows: Awaited<ReturnType<typeof run>>['rows']) =>
  rows.map(row => [
    row.get('priceValue')?.text ?? null,
    row.get('returnsAccepted'),
    row.get('localizedAspects').length,
  ])

describe('default columns', () => {
  test('all typed columns of the file are checked; rows, batches and text cells stay', async () => {
    const { rows, output, stage } = await run({ onBadCell: 'null' })
    expect(cells(rows)).toEqual([
      ['9.50', true, 1],
      [null, null, 0],
      [null, null, 0],
    ])
    expect(output.length).toBe(batchesOf(FILE).length)
    expect(
      rows.map(row => [row.get('title'), row.get('extra' as string), row.text('priceValue')]),
    ).toEqual([
      ['one', 'x', '9.50'],
      ['two', 'y', '9,50'],
      ['three', 'z', ''],
    ])
    expect(stage.badCells).toBe(3)
  })

  test('a decoded row can be kept', async () => {
    const { rows } = await run({ onBadCell: 'null' })
    expect(rows[0]?.detach().get('localizedAspects')).toEqual([
      { label: null, name: 'Color', value: 'Red' },
    ])
    expect(rows[1]?.detach().get('priceValue')).toBe(null)
  })
})

describe('fault 71: bad cells by policy', () => {
  test('fault 71: throw ends the stream with the cell, its column and its position', async () => {
    await expect(run({ columns: ['localizedAspects'] })).rejects.toMatchObject({
      code: 'CELL_INVALID',
      context: {
        column: 'localizedAspects',
        type: 'aspects',
        row: 2,
        line: 3,
        byteOffset: FILE.indexOf('v1|2|0'),
        excerpt: 'Q29sb3I',
      },
    })
  })

  test('fault 71: null gives the empty value and counts', async () => {
    const { rows, stage } = await run({ columns: ['localizedAspects'], onBadCell: 'null' })
    expect(rows[1]?.get('localizedAspects')).toEqual([])
    expect(stage.badCells).toBe(1)
  })

  test('fault 71: a function is called with each bad cell, and the empty value is given', async () => {
    const bad: BadCell[] = []
    const { rows, stage } = await run({ onBadCell: cell => void bad.push(cell) })
    expect(cells(rows)[1]).toEqual([null, null, 0])
    const place = { row: 2, line: 3, byteOffset: FILE.indexOf('v1|2|0') }
    expect(bad.map(({ column, position, error }) => [column, position, error.code])).toEqual([
      ['priceValue', { ...place, excerpt: '9,50' }, 'CELL_INVALID'],
      ['returnsAccepted', { ...place, excerpt: 'maybe' }, 'CELL_INVALID'],
      ['localizedAspects', { ...place, excerpt: 'Q29sb3I' }, 'CELL_INVALID'],
    ])
    expect(stage.badCells).toBe(3)
  })

  test('what the function throws ends the stream, typed', async () => {
    const cause = new RangeError('enough')
    const onBadCell = () => {
      throw cause
    }
    await expect(run({ onBadCell })).rejects.toMatchObject({ code: 'STAGE_FAILED', cause })
  })
})

describe('chosen columns', () => {
  test('only they are decoded: bad cells elsewhere are met where they are read', async () => {
    const { rows, stage } = await run({ columns: ['title', 'extra', 'itemId'] })
    expect(stage.badCells).toBe(0)
    expect(() => rows[1]?.get('priceValue')).toThrow(
      expect.objectContaining({ code: 'CELL_INVALID' }),
    )
  })

  test('a column that only the schema has is skipped', async () => {
    const { rows } = await run({ columns: ['conditionDescriptors'] })
    expect(rows[0]?.get('conditionDescriptors')).toEqual([])
  })

  test('a column that neither file nor schema has is refused at the first batch', async () => {
    await expect(run({ columns: ['title', 'prizeValue'] })).rejects.toMatchObject({
      code: 'COLUMN_UNKNOWN',
      context: {
        column: 'prizeValue',
        known: expect.arrayContaining(['title', 'extra', 'conditionDescriptors']),
      },
    })
  })

  test('each file is bound by its own header', async () => {
    const other = batchesOf('priceValue\titemId\n1.5\tv1|4|0\n')
    const { rows } = await run({ columns: ['priceValue'], onBadCell: 'null' }, [
      ...batchesOf(FILE),
      ...other,
    ])
    expect(rows.map(row => row.get('priceValue')?.text ?? null)).toEqual([
      '9.50',
      null,
      null,
      '1.5',
    ])
  })
})

test('rows out of view are not decoded', async () => {
  const batches = batchesOf(FILE).map(batch => batch.select(row => row.text('itemId') !== 'v1|2|0'))
  const { rows, stage } = await run({}, batches)
  expect(rows).toHaveLength(2)
  expect(stage.badCells).toBe(0)
})

test('an empty input is an empty output', async () => {
  expect((await run({}, [])).output).toEqual([])
})

test.each([
  ['onBadCell', { onBadCell: 'ignore' }],
  ['columns', { columns: 'title' }],
  ['columns', { columns: [1] }],
])('a wrong %s is refused at construction', (option, options) => {
  expect(() => new ColumnDecoder(options as never)).toThrow(
    expect.objectContaining<Partial<FeedError>>({
      code: 'OPTION_INVALID',
      context: expect.objectContaining({ option }),
    }),
  )
})
