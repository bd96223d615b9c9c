import fc from 'fast-check'
import { expect, test } from 'vitest'
import { BITS, CANONICAL_KINDS } from '../../../src/inspect/schema/canonical-kinds'
import { plainNumber, plainTime } from '../../../src/inspect/schema/plain-texts'

/** Texts that are nearly numbers, days or times, and many that are. */
const texts = fc.oneof(
  fc.integer().map(String),
  fc.double({ noNaN: true }).map(String),
  fc.stringMatching(/^-?[0-9]{1,17}(\.[0-9]{0,9})?$/),
  fc.stringMatching(/^-?0?(\.0{0,7}[0-9]{0,2})?$/),
  fc.stringMatching(/^(19|20)[0-9]{2}-[01][0-9]-[0-3][0-9]$/),
  fc.stringMatching(
    /^0?[0-9]{4}-[01][0-9]-[0-3][0-9]T[0-2][0-9]:[0-6][0-9]:[0-6][0-9]\.[0-9]{3}Z$/,
  ),
  fc.constantFrom(
    '2147483647',
    '2147483648',
    '1.',
    '.5',
    '1.5.1',
    '1-1',
    '-',
    '2026-02-28T24:00:00.000Z',
  ),
)

test('what is plainly of a kind is of it, with no more digits than it may have', () => {
  let found = 0
  const digits = fc.nat({ max: 17 })
  fc.assert(
    fc.property(texts, digits, digits, (text, wholeDigits, scale) => {
      fc.pre(text !== '')
      const bytes = Buffer.from(`>${text}9`)
      const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length)
      const number = plainNumber(view, 1, bytes.length - 1, wholeDigits, scale)
      const plain = number | plainTime(view, 1, bytes.length - 1)
      found |= plain
      for (const { bit, type, refusal } of CANONICAL_KINDS)
        if ((plain & bit) !== 0) expect(refusal(text), `${text} as ${type}`).toBeUndefined()
      if (number === 0) return
      expect(number & BITS.decimal).not.toBe(0)
      const [whole = '', fraction = ''] = text.replace('-', '').split('.')
      expect(whole === '0' || whole.length <= wholeDigits).toBe(true)
      expect(fraction.length).toBeLessThanOrEqual(scale)
    }),
    { numRuns: 20_000 },
  )
  expect(found).toBe(
    BITS.int32 | BITS.int64 | BITS.decimal | BITS.float64 | BITS.date | BITS.timestamp,
  )
})
