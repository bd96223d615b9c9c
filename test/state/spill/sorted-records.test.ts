import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { ScratchFolder } from '../../../src/state/spill/scratch-folder'
import { SortedRecords } from '../../../src/state/spill/sorted-records'
import { collect } from '../../rows-from-text'

type Arrived = readonly [key: string, value: string]

/** Adds records, and writes to the disk after those with these numbers. */
async function sortedOf(arrived: readonly Arrived[], isSpilled: (n: number) => boolean) {
  const folder = new ScratchFolder()
  const records = new SortedRecords(folder)
  try {
    for (const [n, [key, value]] of arrived.entries()) {
      records.writer.bytes(Buffer.from(value))
      records.add(key)
      if (isSpilled(n)) await records.spill()
    }
    const read = async () => {
      const all = (await collect(records.sorted())).flat()
      return all.map(({ key, value }) => [key, Buffer.from(value).toString()])
    }
    const first = await read()
    // They can be read again, also by two readers side by side.
    for (const again of await Promise.all([read(), read()])) expect(again).toEqual(first)
    return first
  } finally {
    await folder.close()
  }
}

const byKey = ([a]: Arrived, [b]: Arrived) => Buffer.compare(Buffer.from(a), Buffer.from(b))

describe('sorted records', () => {
  const key = fc.string({ unit: fc.constantFrom('a', 'b', '\0', '\u00ff', '\uff5e', '😀') })

  test('are in the order of their keys, and of their arrival where keys are equal', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.tuple(key, fc.string())),
        fc.uniqueArray(fc.nat(12)),
        async (arrived, spilled) => {
          const numbered = arrived.map(([key, value], n): Arrived => [key, `${n} ${value}`])
          const sorted = await sortedOf(numbered, n => spilled.includes(n))
          expect(sorted).toEqual([...numbered].sort(byKey))
        },
      ),
      { numRuns: 100 },
    )
  })

  test('keep that order over many runs of several sizes, and over many blocks', async () => {
    const long = 'x'.repeat(100)
    const many = Array.from(
      { length: 6000 },
      (_, n): Arrived => [
        `k${(n * 7919) % 500}`,
        n === 3000 ? 'y'.repeat(300_000) : `${n} ${long}`,
      ],
    )
    const sorted = await sortedOf(many, n => n % 20 === 0)
    expect(sorted).toEqual([...many].sort(byKey))
  })

  test('without any record are empty', async () => {
    expect(await sortedOf([], () => false)).toEqual([])
  })

  test('that are added sorted come before those with the same key', async () => {
    const folder = new ScratchFolder()
    const records = new SortedRecords(folder)
    await records.addSorted([[{ key: 'a', value: Buffer.from('first') }], []])
    records.writer.bytes(Buffer.from('second'))
    records.add('a')
    const [values] = await collect(records.sorted())
    const texts = (await collect(records.sorted())).flat().map(({ value }) => `${value}`)
    expect([values?.length, texts]).toEqual([1, ['first', 'second']])
    await folder.close()
  })
})
