import fc from 'fast-check'
import { expect, test } from 'vitest'
import { checkedLine, readCheckedLines } from '../../../src/sync/file/checked-lines'

const records = fc.array(fc.record({ text: fc.string(), number: fc.integer() }), { maxLength: 8 })
const bytesOf = (list: readonly object[]) => Buffer.concat(list.map(checkedLine))

test('records come back in order, each with its end', () => {
  fc.assert(
    fc.property(records, list => {
      const lines = readCheckedLines(bytesOf(list))
      expect(lines.map(({ record }) => record)).toEqual(list)
      expect(lines.at(-1)?.end ?? 0).toBe(bytesOf(list).length)
    }),
  )
})

test('fault 80: a file that is cut anywhere gives the whole records before the cut and no others', () => {
  fc.assert(
    fc.property(records, fc.nat(), (list, cut) => {
      const bytes = bytesOf(list)
      const lines = readCheckedLines(bytes.subarray(0, cut % (bytes.length + 1)))
      expect(lines.map(({ record }) => record)).toEqual(list.slice(0, lines.length))
      expect(lines.length).toBe(
        list.filter((_, n) => bytesOf(list.slice(0, n + 1)).length <= cut % (bytes.length + 1))
          .length,
      )
    }),
  )
})

test('fault 80: a file with any changed byte gives the records before it and no others', () => {
  fc.assert(
    fc.property(records, fc.nat(), fc.integer({ min: 1, max: 255 }), (list, place, change) => {
      fc.pre(list.length > 0)
      const bytes = bytesOf(list)
      const at = place % bytes.length
      bytes[at]! ^= change
      expect(readCheckedLines(bytes).map(({ record }) => record)).toEqual(
        list.filter((_, n) => bytesOf(list.slice(0, n + 1)).length <= at),
      )
    }),
  )
})
