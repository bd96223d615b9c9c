import { expect, test } from 'vitest'
import { IndexedRun } from '../../../src/state/join/indexed-run'
import { ScratchFolder } from '../../../src/state/spill/scratch-folder'
import { collect } from '../../rows-from-text'

const keyOf = (n: number) => `k${String(n).padStart(5, '0')}`
const records = Array.from({ length: 3000 }, (_, n) => ({
  key: keyOf(2 * n),
  value: Buffer.from(`value ${n} ${'x'.repeat(n === 1000 ? 50_000 : 100)}`),
}))

test('finds records by their keys in any order, and tells which are missing', async () => {
  const folder = new ScratchFolder()
  const run = await IndexedRun.write(folder, [records.slice(0, 700), records.slice(700)], 0)
  const numbers = Array.from({ length: 6010 }, (_, n) => (n * 4919) % 6010)
  const keys = ['', ...numbers.map(keyOf), 'z']
  const expected = [
    undefined,
    ...numbers.map(n => (n % 2 === 0 ? records[n / 2]?.value.toString() : undefined)),
    undefined,
  ]
  const values = await run.getMany(keys)
  expect(values.map(value => value && Buffer.from(value).toString())).toEqual(expected)
  expect(values[1]!.buffer.byteLength).toBe(values[1]!.length)
  expect((await collect(run.records())).flat()).toEqual(records)
  await folder.close()
})

test('of no records finds nothing', async () => {
  const folder = new ScratchFolder()
  const run = await IndexedRun.write(folder, [], 0)
  expect(await run.getMany(['a'])).toEqual([undefined])
  await folder.close()
})
