import { gunzipSync, gzipSync } from 'node:zlib'
import { expect, test } from 'vitest'
import {
  ORIGINAL,
  setVariant,
  variantModified,
  variantOf,
  variantPrefix,
} from '../../../src/emulator/feeds/file-variant'

test('a request gets the original unless another variant was set for it', () => {
  const request = new Request('http://x/')
  expect(variantOf(request)).toBe(ORIGINAL)
  setVariant(request, { generation: 2, cutBytes: 0 })
  expect(variantOf(request).generation).toBe(2)
  expect(variantOf(new Request('http://x/'))).toBe(ORIGINAL)
})

test('the original has no prefix, and each later generation inflates to the same content from other bytes', () => {
  const file = gzipSync('rows')
  expect(variantPrefix(ORIGINAL)).toHaveLength(0)
  for (const generation of [1, 2, 5]) {
    const prefix = variantPrefix({ generation, cutBytes: 0 })
    expect(prefix.length).toBe(20 * generation)
    expect(gunzipSync(Buffer.concat([prefix, file])).toString()).toBe('rows')
  }
})

test('each generation has another Last-Modified', () => {
  const modified = new Date('2026-03-01T00:00:00Z')
  const dates = [0, 1, 2].map(generation =>
    variantModified({ generation, cutBytes: 0 }, modified).toUTCString(),
  )
  expect(new Set(dates).size).toBe(3)
})
