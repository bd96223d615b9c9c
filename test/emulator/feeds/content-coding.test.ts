import { gunzipSync } from 'node:zlib'
import { expect, test } from 'vitest'
import { asksForGzip, gzipped } from '../../../src/emulator/feeds/content-coding'

test.each([
  ['gzip', true],
  ['gzip, deflate, br', true],
  ['deflate, GZIP;q=0.5', true],
  ['x-gzip', true],
  [null, false],
  ['', false],
  ['identity', false],
  ['*', false],
  ['gzip;q=0', false],
  ['gzip; q=0.000', false],
  ['gzippy', false],
])('Accept-Encoding %s asks for gzip: %s', (header, asks) => {
  expect(asksForGzip(header)).toBe(asks)
})

test('compressed bytes inflate to the input', async () => {
  const chunks: Uint8Array[] = []
  for await (const chunk of gzipped([Buffer.from('one '), Buffer.from('two')])) chunks.push(chunk)
  expect(gunzipSync(Buffer.concat(chunks)).toString()).toBe('one two')
})
