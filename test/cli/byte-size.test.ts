import { expect, test } from 'vitest'
import { byteSizeText, readByteSize } from '../../src/cli/byte-size'

test.each([
  ['1000', 1_000],
  ['256MB', 256_000_000],
  ['256 mb', 256_000_000],
  ['256MiB', 268_435_456],
  ['1.5GB', 1_500_000_000],
  ['64KiB', 65_536],
  ['1b', 1],
])('%s is %i bytes', (text, bytes) => {
  expect(readByteSize(text)).toBe(bytes)
})

test.each([
  '',
  '0',
  '-1',
  'MB',
  '1 parsec',
  '1e6',
  '0.0001kB',
  '99999999999TB',
  'constructor',
  '1 constructor',
  'Infinity',
])('%j is no byte size', text => {
  expect(readByteSize(text)).toBeUndefined()
})

test.each([
  [0, '0 B'],
  [999, '999 B'],
  [1_234, '1.23 kB'],
  [256_000_000, '256 MB'],
  [1_500_000_000, '1.5 GB'],
  [12_345_678_901_234, '12.3 TB'],
])('%i bytes are %s', (bytes, text) => {
  expect(byteSizeText(bytes)).toBe(text)
})
