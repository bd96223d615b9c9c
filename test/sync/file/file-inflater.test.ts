import { gzipSync } from 'node:zlib'
import fc from 'fast-check'
import { expect, test, vi } from 'vitest'
import type { DurableFile } from '../../../src/disk/durable-files'
import type { InflationState } from '../../../src/stages/inflation'
import { FileInflater } from '../../../src/sync/file/file-inflater'
import { SimulatedMachine } from '../simulated-machine'

async function fileOf(bytes: Uint8Array): Promise<DurableFile> {
  const file = await new SimulatedMachine(0).start().files.edit('/file')
  await file.write(0, bytes)
  return file
}

interface Reading {
  readonly content: Buffer
  /** The length of the content after each block, and the state to continue from. */
  readonly states: readonly {
    readonly length: number
    readonly state: InflationState | undefined
  }[]
}

async function read(file: DurableFile, readBytes: number, from?: InflationState): Promise<Reading> {
  const inflater = new FileInflater(file, from, readBytes)
  const blocks: Uint8Array[] = []
  const states: { length: number; state: InflationState | undefined }[] = []
  let length = 0
  for await (const block of inflater.blocks()) {
    blocks.push(Uint8Array.from(block))
    length += block.length
    states.push({ length, state: inflater.saveState() })
  }
  inflater.close()
  return { content: Buffer.concat(blocks), states }
}

const members = fc.array(
  fc.oneof(
    fc.constant(Buffer.alloc(0)),
    fc.string({ maxLength: 40 }).map(text => Buffer.from(text)),
    fc
      .nat({ max: 3_000 })
      .map(count => Buffer.from(Array.from({ length: count }, (_, n) => (n * 31) % 251))),
  ),
  { minLength: 1, maxLength: 6 },
)

test('a restart behind any block gives the rest of the content, over members of any size and zeros between them', async () => {
  await fc.assert(
    fc.asyncProperty(
      members,
      fc.integer({ min: 1, max: 300 }),
      fc.nat({ max: 5 }),
      async (contents, readBytes, zeros) => {
        fc.pre(!contents[0]!.subarray(0, 2).equals(Buffer.from([0x1f, 0x8b])))
        const file = await fileOf(
          Buffer.concat(contents.flatMap(content => [gzipSync(content), Buffer.alloc(zeros)])),
        )
        const whole = await read(file, readBytes)
        expect(whole.content.equals(Buffer.concat(contents))).toBe(true)
        for (const { length, state } of whole.states) {
          if (state === undefined) expect(length).toBeLessThan(4)
          else
            expect(
              (await read(file, readBytes, state)).content.equals(whole.content.subarray(length)),
            ).toBe(true)
        }
      },
    ),
    { numRuns: 60 },
  )
})

test('fault 39: a wrong checksum is also found by an inflater that resumes from a saved state', async () => {
  const content = Buffer.from(Array.from({ length: 3_000 }, (_, n) => `row ${n}\n`).join(''))
  const gzip = gzipSync(content)
  const { states } = await read(await fileOf(gzip), 500)
  gzip[gzip.length - 8]! ^= 1
  const wrong = await fileOf(gzip)
  const saved = states.flatMap(({ state }) => state ?? [])
  expect(saved.length).toBeGreaterThan(5)
  for (const state of saved)
    await expect(read(wrong, 500, state)).rejects.toMatchObject({ code: 'GZIP_CRC_MISMATCH' })
})

test('a state that no inflater saved is refused', async () => {
  const state = {
    members: {
      byteOffset: 10,
      dataBytes: 0,
      members: 1,
      memberCrc: 0,
      memberBytes: 0,
      outputBytes: 9,
    },
    engine: Buffer.from('no state'),
  }
  const file = await fileOf(gzipSync('x'))
  expect(() => new FileInflater(file, state)).toThrow(
    expect.objectContaining({ code: 'OPTION_INVALID' }),
  )
})

test('node:zlib reads a file where WebAssembly is missing, and the file cannot be resumed inside', async () => {
  vi.resetModules()
  vi.stubGlobal('WebAssembly', undefined)
  try {
    const fresh = await import('../../../src/sync/file/file-inflater')
    expect(fresh.canResume()).toBe(false)
    const content = Buffer.from(Array.from({ length: 30_000 }, (_, n) => `row ${n}\n`).join(''))
    const inflater = new fresh.FileInflater(await fileOf(gzipSync(content)), undefined, 500)
    const blocks: Uint8Array[] = []
    for await (const block of inflater.blocks()) {
      blocks.push(Uint8Array.from(block))
      expect(inflater.saveState()).toBeUndefined()
    }
    inflater.close()
    expect(Buffer.concat(blocks).equals(content)).toBe(true)
  } finally {
    vi.unstubAllGlobals()
  }
})
