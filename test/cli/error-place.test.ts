import { expect, test } from 'vitest'
import { messageWithPlace } from '../../src/cli/error-place'
import { FeedError } from '../../src/engine/errors'

test('the place of the error is added where the message does not have it', () => {
  const context = { row: 0, line: 1, byteOffset: 3, column: 'itemId' }
  expect(messageWithPlace(new FeedError('TSV_COLUMN_MISSING', 'no column itemId', context))).toBe(
    'no column itemId (row 0, line 1, byte 3)',
  )
  expect(
    messageWithPlace(
      new FeedError('TSV_ROW_BLANK', 'row 2, line 3: blank', { row: 2, line: 3, byteOffset: 9 }),
    ),
  ).toBe('row 2, line 3: blank (byte 9)')
})

test('a message with its place, and an error without a place, stay unchanged', () => {
  expect(
    messageWithPlace(new FeedError('GZIP_EMPTY', 'nothing at byte 0', { byteOffset: 0 })),
  ).toBe('nothing at byte 0')
  const place = { row: 2, line: 3, byteOffset: 9, file: 'a.tsv' }
  const bad = { ...place, column: 'x', type: 'int32', excerpt: 'y' }
  expect(messageWithPlace({ message: 'x: no number', context: bad })).toBe(
    'a.tsv: x: no number (row 2, line 3, byte 9)',
  )
  expect(messageWithPlace({ message: 'a.tsv, row 2, line 3, byte 9: short', context: bad })).toBe(
    'a.tsv, row 2, line 3, byte 9: short',
  )
  expect(messageWithPlace(new FeedError('STAGE_FAILED', 'it failed', { stage: 'a' }))).toBe(
    'it failed',
  )
})
