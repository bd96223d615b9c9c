import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { checkedLine, readCheckedLines, Spool, spooledFile } from '../../../src/sync/file/spool'
import { SimulatedMachine, type Trouble } from '../simulated-machine'

const FOLDER = '/spool/a'
const IDENTITY = { totalBytes: 100, lastModified: 'Sun, 01 Mar 2026 07:00:00 GMT' }
const content = Buffer.from(Array.from({ length: 100 }, (_, n) => n))

function open(machine: SimulatedMachine, trouble?: Trouble, key = 'a'): Promise<Spool> {
  return Spool.open({ files: machine.start(trouble).files, folder: FOLDER, key, pieceBytes: 10 })
}

/** Fetches what the spool does not have, three bytes at a time. */
async function fill(spool: Spool): Promise<void> {
  if (spool.file === undefined) await spool.begin(IDENTITY)
  for (let at = spool.length; at < content.length; at += 3)
    await spool.append(content.subarray(at, at + 3))
  await spool.flush()
}

async function dataOf(machine: SimulatedMachine, spool: Spool): Promise<Uint8Array> {
  const file = await machine.start().files.open(`${FOLDER}/data`)
  return file!.read(0, spool.length)
}

test('a spool that is opened again has its bytes and its file', async () => {
  const machine = new SimulatedMachine(0)
  const spool = await open(machine)
  expect([spool.file, spool.length]).toEqual([undefined, 0])
  await fill(spool)
  await spool.close()
  const again = await open(machine)
  expect([again.file, again.length]).toEqual([{ ...IDENTITY, key: 'a' }, 100])
  expect(Buffer.from(await dataOf(machine, again))).toEqual(content)
  expect(await spooledFile(machine.start().files, FOLDER)).toMatchObject({
    key: 'a',
    totalBytes: 100,
  })
})

test('the bytes of an incomplete piece are kept only when they are flushed', async () => {
  const machine = new SimulatedMachine(0)
  const spool = await open(machine)
  await spool.begin(IDENTITY)
  await spool.append(content.subarray(0, 9))
  expect(spool.length).toBe(0)
  await spool.append(content.subarray(9, 32))
  expect(spool.length).toBe(30)
  await spool.flush()
  expect(Buffer.from(await dataOf(machine, spool))).toEqual(content.subarray(0, 32))
})

test('appended bytes are copied', async () => {
  const machine = new SimulatedMachine(0)
  const spool = await open(machine)
  await spool.begin(IDENTITY)
  const lent = Buffer.from(content.subarray(0, 5))
  await spool.append(lent)
  lent.fill(0xff)
  await spool.flush()
  expect(Buffer.from(await dataOf(machine, spool))).toEqual(content.subarray(0, 5))
})

describe('a spool drops foreign content', () => {
  test('of another file', async () => {
    const machine = new SimulatedMachine(0)
    await fill(await open(machine))
    const other = await open(machine, undefined, 'b')
    expect([other.file, other.length]).toEqual([undefined, 0])
  })

  test('that is no file', async () => {
    expect(await spooledFile(new SimulatedMachine(0).start().files, FOLDER)).toBeUndefined()
  })

  test.each(['data', 'index'])(
    'fault 80: any changed byte of %s leaves the pieces before it, or nothing',
    async name => {
      const machine = new SimulatedMachine(0)
      await fill(await open(machine))
      const { files } = machine.start()
      const file = await files.edit(`${FOLDER}/${name}`)
      const size = await file.size()
      for (let at = 0; at < size; at++) {
        const [byte] = await file.read(at, 1)
        await file.write(at, Uint8Array.of(byte! ^ 0x10))
        const spool = await Spool.open({ files, folder: FOLDER, key: 'a', pieceBytes: 10 })
        expect(Buffer.from(await dataOf(machine, spool))).toEqual(content.subarray(0, spool.length))
        if (name === 'data') expect(spool.length).toBe(at - (at % 10))
        await spool.empty()
        await fill(spool)
      }
    },
  )
})

test('fault 78: the spool has a prefix of the file after a crash at any call, and continues from it', async () => {
  const kinds = fc.constantFrom('process', 'power') as fc.Arbitrary<'process' | 'power'>
  const whats = fc.constantFrom('before', 'within', 'after') as fc.Arbitrary<Trouble['what']>
  await fc.assert(
    fc.asyncProperty(
      fc.nat(),
      fc.integer({ min: 1, max: 60 }),
      whats,
      kinds,
      async (seed, at, what, kind) => {
        const machine = new SimulatedMachine(seed)
        let synced = 0
        try {
          const spool = await open(machine, { at, what })
          await spool.begin(IDENTITY)
          for (let from = 0; from < content.length; from += 10) {
            await spool.append(content.subarray(from, from + 10))
            synced = spool.length
          }
        } catch {
          // The process died here.
        }
        machine.crash(kind)
        const again = await open(machine)
        expect(Buffer.from(await dataOf(machine, again))).toEqual(content.subarray(0, again.length))
        if (kind === 'process') expect(again.length).toBeGreaterThanOrEqual(synced)
        await fill(again)
        expect(Buffer.from(await dataOf(machine, again))).toEqual(content)
      },
    ),
    { numRuns: 150 },
  )
})

describe('the lines of an index', () => {
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
})
