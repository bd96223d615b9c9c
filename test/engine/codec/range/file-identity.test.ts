import { expect, test } from 'vitest'
import {
  identityChange,
  identityOf,
  mergeIdentity,
} from '../../../../src/engine/codec/range/file-identity'

test('fault 14: weak and malformed entity tags are left out', () => {
  for (const etag of ['W/"a"', 'a', '"a", "b"', '', undefined])
    expect(identityOf(5, 'then', etag)).toEqual({ totalBytes: 5, lastModified: 'then' })
  expect(identityOf(undefined, undefined, '"a"')).toEqual({ etag: '"a"' })
})

test('values that one side leaves out are not compared', () => {
  expect(identityChange({}, { totalBytes: 5, lastModified: 'a', etag: '"a"' })).toBeUndefined()
  expect(identityChange({ totalBytes: 5, lastModified: 'a', etag: '"a"' }, {})).toBeUndefined()
})

test('faults 6, 11, 13: the changed value is named', () => {
  expect(identityChange({ totalBytes: 5 }, { totalBytes: 6 })).toEqual({
    what: 'total',
    before: '5',
    after: '6',
  })
  expect(identityChange({ totalBytes: 5 }, { totalBytes: 0 })).toEqual({
    what: 'total',
    before: '5',
    after: '0',
  })
  expect(identityChange({ lastModified: 'a' }, { lastModified: 'b' })).toEqual({
    what: 'last-modified',
    before: 'a',
    after: 'b',
  })
  expect(identityChange({ etag: '"a"' }, { etag: '"b"' })).toEqual({
    what: 'etag',
    before: '"a"',
    after: '"b"',
  })
})

test('known values stay, and new ones are added', () => {
  expect(mergeIdentity({ totalBytes: 5 }, { totalBytes: 6, etag: '"a"' })).toEqual({
    totalBytes: 5,
    etag: '"a"',
  })
})
