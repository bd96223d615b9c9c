import { describe, expect, test } from 'vitest'
import {
  compareVersions,
  type Version,
  versionOfRow,
} from '../../../../src/engine/codec/merge/version-order'
import { TsvParser } from '../../../../src/engine/codec/tsv/parser'
import type { FeedFile } from '../../../../src/engine/schema/feed-schema'
import {
  itemPrioritySchema,
  itemSchema,
  itemSnapshotSchema,
} from '../../../../src/engine/schema/feed-schemas'
import { batchesOf } from '../../../rows-from-text'

const HOUR = new Date('2024-05-01T10:00:00.000Z')
const END_OF_HOUR = Date.parse('2024-05-01T10:59:59.999Z')
const LAST_MODIFIED = new Date('2024-05-03T12:00:00.000Z')
const snapshotHeader = ['itemId', 'availability', 'itemSnapshotDate']

function snapshotVersion(
  availability: string,
  date: string,
  file: Partial<FeedFile> = { hour: HOUR },
  versionOf?: () => Date | undefined,
): Version {
  const [batch] = batchesOf(itemSnapshotSchema, { feed: 'item_snapshot', ...file }, [
    snapshotHeader,
    ['v1|1|0', availability, date],
  ])
  return versionOfRow(batch!.row(0), 'v1|1|0', versionOf)
}

function itemVersion(file: Partial<FeedFile>): Version {
  const [batch] = batchesOf(itemSchema, { feed: 'item', ...file }, [['itemId'], ['v1|1|0']])
  return versionOfRow(batch!.row(0), 'v1|1|0')
}

describe('the time of a row', () => {
  test('it is the itemSnapshotDate of the row, where the row has one', () => {
    const version = snapshotVersion('AVAILABLE', '2024-05-01T10:20:30.123Z', {
      hour: HOUR,
      lastModified: LAST_MODIFIED,
    })
    expect(version).toEqual({
      timeMs: Date.parse('2024-05-01T10:20:30.123Z'),
      removed: false,
      generatedMs: LAST_MODIFIED.getTime(),
    })
  })

  test('for an UNAVAILABLE row it is the end of the file’s hour, after every change of that hour and before the next hour', () => {
    const removal = snapshotVersion('UNAVAILABLE', '')
    expect(removal).toEqual({ timeMs: END_OF_HOUR, removed: true, generatedMs: 0 })
    expect(
      compareVersions(
        snapshotVersion('AVAILABLE', '2024-05-01T10:59:59.999Z', {
          hour: HOUR,
          lastModified: LAST_MODIFIED,
        }),
        removal,
      ),
    ).toBeLessThan(0)
    expect(
      compareVersions(removal, snapshotVersion('AVAILABLE', '2024-05-01T11:00:00.000Z')),
    ).toBeLessThan(0)
  })

  test('for bootstrap and daily rows it is Last-Modified, else the end of the day in UTC-7', () => {
    expect(itemVersion({ lastModified: LAST_MODIFIED, date: '20240501' }).timeMs).toBe(
      LAST_MODIFIED.getTime(),
    )
    expect(itemVersion({ date: '20240501' }).timeMs).toBe(Date.parse('2024-05-02T06:59:59.999Z'))
  })

  test('for priority rows it is the end of the file’s day, at whatever time the file was made', () => {
    const [batch] = batchesOf(
      itemPrioritySchema,
      { feed: 'item_priority', date: '20240501', lastModified: LAST_MODIFIED },
      [['itemId'], ['1']],
    )
    const version = versionOfRow(batch!.row(0), '1')
    expect(version).toEqual({
      timeMs: Date.parse('2024-05-02T06:59:59.999Z'),
      removed: false,
      generatedMs: LAST_MODIFIED.getTime(),
    })
  })

  test('the caller may supply it', () => {
    expect(snapshotVersion('UNAVAILABLE', '', {}, () => HOUR).timeMs).toBe(HOUR.getTime())
    expect(snapshotVersion('UNAVAILABLE', '', { hour: HOUR }, () => undefined).timeMs).toBe(
      END_OF_HOUR,
    )
  })
})

test.each([
  [
    'a snapshot row of a file without its hour',
    () => snapshotVersion('UNAVAILABLE', '', { lastModified: LAST_MODIFIED }),
  ],
  ['an item row of a file without any date', () => itemVersion({})],
  ['a file date that is none', () => itemVersion({ date: '2024-05-01' })],
  [
    'an invalid date of the caller',
    () => snapshotVersion('AVAILABLE', '', { hour: HOUR }, () => new Date(Number.NaN)),
  ],
])('%s is VERSION_MISSING with its position', (_, versionOf) => {
  expect(versionOf).toThrow(
    expect.objectContaining({
      code: 'VERSION_MISSING',
      context: expect.objectContaining({ row: 1, line: 2, key: 'v1|1|0' }),
    }),
  )
})

test('an invalid Last-Modified counts as missing', () => {
  const lastModified = new Date('no date')
  expect(
    snapshotVersion('AVAILABLE', '2024-05-01T10:20:30.123Z', { hour: HOUR, lastModified })
      .generatedMs,
  ).toBe(0)
  expect(itemVersion({ lastModified, date: '20240501' })).toEqual(itemVersion({ date: '20240501' }))
  expect(() => itemVersion({ lastModified })).toThrow(
    expect.objectContaining({ code: 'VERSION_MISSING' }),
  )
})

test('a date that cannot be read is CELL_INVALID with its position', () => {
  expect(() => snapshotVersion('AVAILABLE', 'yesterday')).toThrow(
    expect.objectContaining({
      code: 'CELL_INVALID',
      context: expect.objectContaining({ row: 1, column: 'itemSnapshotDate' }),
    }),
  )
})

test('a version column that was not selected is COLUMN_UNKNOWN, and does not count as empty', () => {
  const text = Buffer.from(
    'itemId\tavailability\titemSnapshotDate\ttitle\nv1|1|0\tUNAVAILABLE\t\tt\n',
  )
  const versionWith = (columns: readonly string[], lines = text) => {
    const parser = new TsvParser({
      schema: itemSnapshotSchema,
      file: { feed: 'item_snapshot', hour: HOUR },
      columns,
    })
    const [batch] = [...parser.push(lines), ...parser.end()]
    return versionOfRow(batch!.row(0), 'v1|1|0')
  }
  for (const [columns, column] of [
    [['itemId', 'title', 'availability'], 'itemSnapshotDate'],
    [['itemId', 'itemSnapshotDate'], 'availability'],
  ] as const) {
    const context = expect.objectContaining({ column })
    expect(() => versionWith(columns)).toThrow(
      expect.objectContaining({ code: 'COLUMN_UNKNOWN', context }),
    )
  }
  expect(versionWith(['itemSnapshotDate', 'availability'])).toEqual({
    timeMs: END_OF_HOUR,
    removed: true,
    generatedMs: 0,
  })
  // A column that the file itself lacks still counts as empty.
  expect(versionWith(['itemId', 'title'], Buffer.from('itemId\ttitle\nv1|1|0\tt\n')).removed).toBe(
    false,
  )
})

test('the time decides first, then removal, then the generation of the file', () => {
  const base: Version = { timeMs: 5, removed: false, generatedMs: 5 }
  const ascending: Version[] = [
    { timeMs: 4, removed: true, generatedMs: 9 },
    base,
    { ...base, generatedMs: 6 },
    { ...base, removed: true, generatedMs: 0 },
  ]
  for (const [n, a] of ascending.entries())
    for (const [m, b] of ascending.entries())
      expect(Math.sign(compareVersions(a, b))).toBe(Math.sign(n - m))
})
