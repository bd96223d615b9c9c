import { describe, expect, test } from 'vitest'
import {
  eventLine,
  eventObject,
  failureLines,
  fileText,
  progressText,
  summaryLines,
} from '../../../src/cli/sync/sync-lines'
import { FeedError } from '../../../src/index'
import type { AppliedFile, FileId, SyncSummary } from '../../../src/sync'
import type { CategoryProgress, SyncProgress } from '../../../src/sync/index'

const category = { marketplace: 'MKT_US', categoryId: '220' }
const file: FileId = { feed: 'item_snapshot', ...category, hour: '2026-03-01T05:00:00.000Z' }
const bootstrap: FileId = { feed: 'item', ...category, scope: 'ALL_ACTIVE' }
const entry: AppliedFile = {
  id: file,
  sequence: 3,
  totalBytes: 12_345,
  rawBytes: 99_999,
  rows: { inserted: 5, updated: 4, deleted: 3, unchanged: 2, stale: 1 },
  badRows: 0,
  rowsRead: 15,
}
const error = new FeedError(
  'SYNC_FILE_FAILED',
  'it could not be fetched',
  { file: 'x', attempts: 5 },
  { cause: new Error('Bearer secret') },
)
const at: CategoryProgress = {
  ...category,
  watermark: new Date('2026-03-01T05:00:00Z'),
  done: 3,
  ready: 2,
  missing: [],
  gone: [],
  nextAt: undefined,
}
const progress: SyncProgress = {
  categories: [at],
  files: 3,
  rows: 1_234,
  rowsRead: 1_241,
  badCells: 0,
  rowsKept: 1_234,
  rowsLeftOut: 7,
  bytes: 5_000_000,
  bytesPerSecond: 2_500_000,
  seconds: 2,
  secondsLeft: 1.2,
}
const summary: SyncSummary = { ...progress, failed: [] }

describe('the lines for people', () => {
  test('name a file by its category, feed and time', () => {
    expect(fileText(file)).toBe('220 item_snapshot 2026-03-01T05:00:00.000Z')
    expect(fileText(bootstrap)).toBe('220 item ALL_ACTIVE')
  })

  test('tell of files that are done, missing or failed, and of no other steps', () => {
    expect(eventLine({ type: 'done', file, entry })).toBe(
      '220 item_snapshot 2026-03-01T05:00:00.000Z: 12.3 kB of gzip, 5 inserted, 4 updated, 3 deleted, 3 no news',
    )
    expect(eventLine({ type: 'done', file, entry: { ...entry, badRows: 7 } })).toMatch(
      /, 7 rows cannot be read$/,
    )
    expect(eventLine({ type: 'missing', file })).toBe(
      '220 item_snapshot 2026-03-01T05:00:00.000Z: not there yet',
    )
    expect(eventLine({ type: 'failed', file, error })).toMatch(
      /: SYNC_FILE_FAILED: it could not be fetched$/,
    )
    expect(eventLine({ type: 'fetching', file })).toBeUndefined()
    expect(eventLine({ type: 'progress', ...progress })).toBeUndefined()
  })

  test('show rows, speed, watermarks and the remaining time beside the bar', () => {
    expect(progressText(progress)).toBe(
      '2 s left, 1234 rows, 2.5 MB/s, 220 up to 2026-03-01T05:00:00.000Z',
    )
    const early = {
      ...progress,
      categories: [{ ...at, watermark: undefined }],
      secondsLeft: undefined,
    }
    expect(progressText(early)).toBe('1234 rows, 2.5 MB/s, 220 has no bootstrap yet')
    const doing = new Map([['220', 'merges its item bootstrap']])
    expect(progressText(early, doing)).toBe('1234 rows, 2.5 MB/s, 220 merges its item bootstrap')
    expect(progressText(progress, doing)).toContain('220 up to')
    const two = {
      ...progress,
      categories: [at, { ...at, categoryId: '267', watermark: undefined }],
    }
    expect(progressText(two)).toBe(
      '2 s left, 1234 rows, 2.5 MB/s, 2 categories, 267 has no bootstrap yet',
    )
  })

  test('tell of each file that failed on its own line', () => {
    expect(failureLines({ ...summary, failed: [{ file, error }] }, false)).toEqual([
      'feedmill: SYNC_FILE_FAILED: 220 item_snapshot 2026-03-01T05:00:00.000Z: it could not be fetched',
    ])
    const [line] = failureLines({ ...summary, failed: [{ file, error }] }, true)
    expect(JSON.parse(line!)).toEqual({
      error: {
        file: 'MKT_US/220/item_snapshot/2026-03-01T05:00:00.000Z',
        code: 'SYNC_FILE_FAILED',
        message: 'it could not be fetched',
      },
    })
  })

  test('tell of gaps in the summary', () => {
    expect(summaryLines(summary)).toEqual([
      '3 files, 1234 rows, 5 MB of gzip fetched and merged in 2.0 s',
      '1241 rows read, 1234 kept, 7 left out',
      '220 up to 2026-03-01T05:00:00.000Z',
    ])
    const gaps = { ...at, missing: [file, bootstrap], gone: [bootstrap] }
    expect(summaryLines({ ...summary, categories: [gaps] }).slice(2)).toEqual([
      '220 up to 2026-03-01T05:00:00.000Z, waits for 220 item_snapshot 2026-03-01T05:00:00.000Z and 1 more, lost for good: 220 item ALL_ACTIVE',
    ])
  })
})

describe('the lines for programs', () => {
  const json = (value: Parameters<typeof eventObject>[0]) =>
    JSON.parse(JSON.stringify(eventObject(value)))
  const key = 'MKT_US/220/item_snapshot/2026-03-01T05:00:00.000Z'

  test('name files by their keys', () => {
    expect(json({ type: 'fetching', file })).toEqual({ type: 'fetching', file: key })
    const { rows } = entry
    expect(json({ type: 'done', file, entry })).toEqual({
      type: 'done',
      file: key,
      totalBytes: 12_345,
      rawBytes: 99_999,
      rows,
      badRows: 0,
      rowsRead: 15,
    })
    const watermark = new Date('2026-03-01T06:00:00Z')
    expect(json({ type: 'watermark', category, watermark })).toEqual({
      type: 'watermark',
      ...category,
      watermark: '2026-03-01T06:00:00.000Z',
    })
  })

  test('have the code and message of an error, and not its causes', () => {
    const failed = { file: key, code: 'SYNC_FILE_FAILED', message: 'it could not be fetched' }
    expect(json({ type: 'failed', file, error })).toEqual({ type: 'failed', ...failed })
    expect(json({ type: 'summary', ...summary, failed: [{ file, error }] })).toMatchObject({
      type: 'summary',
      failed: [failed],
    })
  })

  test('have the progress of each category on its own line', () => {
    const gaps = { ...at, missing: [file], gone: [] }
    expect(json({ type: 'progress', ...progress, categories: [gaps] })).toMatchObject({
      type: 'progress',
      rows: 1_234,
      categories: [
        {
          categoryId: '220',
          watermark: '2026-03-01T05:00:00.000Z',
          ready: 2,
          missing: [key],
          gone: [],
        },
      ],
    })
  })
})
