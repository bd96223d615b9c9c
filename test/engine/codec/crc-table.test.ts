import { expect, test } from 'vitest'
import { crcOf } from '../../../src/engine/codec/crc-table'

test.each([
  ['CRC-32', 0xedb88320, 0xcbf43926],
  ['CRC-32C', 0x82f63b78, 0xe3069283],
  ['CRC-32D', 0xd419cc15, 0x87315576],
])(
  'gives the check value of the CRC catalogue for %s, whole and in pieces',
  (_, polynomial, check) => {
    const crc = crcOf(polynomial)
    const bytes = Buffer.from('123456789')
    expect(crc(bytes)).toBe(check)
    for (let cut = 0; cut <= bytes.length; cut++)
      expect(crc(bytes.subarray(cut), crc(bytes.subarray(0, cut)))).toBe(check)
  },
)
