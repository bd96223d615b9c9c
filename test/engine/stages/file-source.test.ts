// Tests of FileSource: which memory its blocks use, how it fails, and how it closes its file. The
// laws are tested in laws.test.ts.

import { execFileSync } from 'node:child_process'
import {
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { open, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { gzipSync } from 'node:zlib'
import { afterAll, describe, expect, test } from 'vitest'
import { FeedError } from '../../../src/engine/errors'
import { pipeline } from '../../../src/engine/pipeline/pipeline'
import { FileSource } from '../../../src/engine/stages/file-source'
import { Gunzip } from '../../../src/engine/stages/gunzip'
import { Stage } from '../../../src/engine/stages/stage'
import { TsvRowParser } from '../../../src/engine/stages/tsv-row-parser'
import { runsWith } from '../../tools'

const folder = mkdtempSync(join(tmpdir(), 'feedmill-file-'))
const small = join(folder, 'a name.tsv')
writeFileSync(small, 'a\n1\n')
afterAll(() => rmSync(folder, { recursive: true }))

const BLOCK_BYTES = 128 * 1024

/** Makes rows that compress badly, so that a file has many blocks. */
const rowsFrom = (seed: number, count: number) => {
  let state = seed
  const cell = () =>
    Array.from({ length: 8 }, () =>
      (state = (Math.imul(state, 1664525) + 1013904223) >>> 0).toString(36),
    ).join('')
  return Array.from({ length: count }, (_, n) => `${seed}-${n}\t${cell()}\t${cell()}`)
}
const parts = [rowsFrom(1, 12_000), rowsFrom(2, 7_000), rowsFrom(3, 12_000)]
const expected = parts.flat()
const text = `id\ta\tb\n${expected.join('\n')}\n`
const plainPath = join(folder, 'feed.tsv')
const path = join(folder, 'feed.tsv.gz')
writeFileSync(plainPath, text)
/** Members that end inside blocks, with zeros after one of them. */
writeFileSync(
  path,
  Buffer.concat(
    ['id\ta\tb\n', '']
      .flatMap(head => [gzipSync(head), Buffer.alloc(head.length)])
      .concat(parts.map(part => gzipSync(`${part.join('\n')}\n`))),
  ),
)

async function rowsOf(rows: AsyncIterable<{ text(column: string): string }>): Promise<string[]> {
  const all: string[] = []
  for await (const row of rows)
    all.push(['id', 'a', 'b'].map(column => row.text(column)).join('\t'))
  return all
}

/** A FileSource that records the memory of each block that its reader asks for. */
class Watched extends FileSource {
  readonly memories: ArrayBufferLike[] = []

  protected override async *produce(): AsyncGenerator<Uint8Array, void, void> {
    for await (const block of super.produce()) {
      this.memories.push(block.buffer)
      yield block
    }
  }
}

const watched = (of = path) => new Watched(of, BLOCK_BYTES)
const distinct = ({ memories }: Watched) => [new Set(memories).size, memories.length] as const

/** A stage that keeps its inputs, which it may do because it does not borrow them. */
class Keeper extends Stage<Uint8Array, Uint8Array> {
  readonly kept: Uint8Array[] = []

  protected override transform(block: Uint8Array): Uint8Array[] {
    this.kept.push(block)
    return [block]
  }
}

describe('the memory of the blocks', () => {
  for (const options of [
    {},
    { worker: false },
    { engine: 'zlib' },
    { engine: 'fflate' },
  ] as const) {
    test(`rows are the same through Gunzip ${JSON.stringify(options)}, and memory is reused only where it copies`, async () => {
      const source = watched()
      expect(await rowsOf(pipeline(source).to(new Gunzip(options)).to(new TsvRowParser()))).toEqual(
        expected,
      )
      const [memories, blocks] = distinct(source)
      expect(blocks).toBeGreaterThan(8)
      expect(memories).toBe('engine' in options ? blocks : 2)
    })
  }

  test('Gunzip alone copies too, and so does TsvRowParser', async () => {
    const zipped = watched()
    expect(Buffer.concat(await pipeline(zipped).to(new Gunzip()).toArray()).toString()).toBe(text)
    expect(distinct(zipped)[0]).toBe(2)
    const plain = watched(plainPath)
    expect(await rowsOf(pipeline(plain).to(new TsvRowParser()))).toEqual(expected)
    expect(distinct(plain)[0]).toBe(2)
  })

  test('a stage that keeps blocks keeps what it was given', async () => {
    const keeper = new Keeper()
    expect(
      await rowsOf(pipeline(watched()).to(keeper).to(new Gunzip()).to(new TsvRowParser())),
    ).toEqual(expected)
    expect(Buffer.concat(keeper.kept).equals(readFileSync(path))).toBe(true)
  })

  test('a reader without a stage keeps what it was given, in a pipeline or by hand', async () => {
    const bytes = readFileSync(path)
    expect(Buffer.concat(await pipeline(watched()).toArray()).equals(bytes)).toBe(true)
    const blocks: Uint8Array[] = []
    for await (const block of watched()) blocks.push(block)
    expect(Buffer.concat(blocks).equals(bytes)).toBe(true)
    const keeper = new Keeper()
    watched().pipe(keeper)
    for await (const _ of keeper);
    expect(Buffer.concat(keeper.kept).equals(bytes)).toBe(true)
  })

  test('a subclass that keeps what it is given says so', async () => {
    class Keeping extends Gunzip {
      readonly kept: Uint8Array[] = []
      override get borrowsInputs(): boolean {
        return false
      }
      protected override transform(block: Uint8Array) {
        this.kept.push(block)
        return super.transform(block)
      }
    }
    const gunzip = new Keeping()
    await pipeline(watched())
      .to(gunzip)
      .to(new TsvRowParser())
      .forEach(() => {})
    expect(Buffer.concat(gunzip.kept).equals(readFileSync(path))).toBe(true)
  })
})

describe('ends', () => {
  const failureOf = async (source: FileSource) => {
    const error = await pipeline(source)
      .forEach(() => {})
      .catch((failure: unknown) => failure)
    if (!FeedError.is(error)) throw error
    return error
  }

  test('a file that is not there, and one that cannot be read, are STAGE_FAILED with the cause', async () => {
    const missing = await failureOf(new FileSource(join(folder, 'none')))
    expect(missing).toMatchObject({
      code: 'STAGE_FAILED',
      context: { stage: 'FileSource' },
      cause: { code: 'ENOENT' },
    })
    expect(await failureOf(new FileSource(folder))).toMatchObject({
      code: 'STAGE_FAILED',
      cause: { code: 'EISDIR' },
    })
  })

  test('an empty file is an empty source', async () => {
    const empty = join(folder, 'empty')
    writeFileSync(empty, '')
    expect(await pipeline(new FileSource(empty)).toArray()).toEqual([])
  })

  test('the path is checked', () => {
    expect(() => new FileSource('')).toThrow(FeedError)
    expect(() => new FileSource(7 as never)).toThrow(FeedError)
  })

  // Only this system lists the open files.
  test.runIf(process.platform === 'linux')(
    'the file is closed at the end, at a failure behind it, on leaving early and on destroy',
    async () => {
      const openOnes = () =>
        readdirSync('/proc/self/fd').filter(fd => {
          try {
            return readlinkSync(`/proc/self/fd/${fd}`) === path
          } catch {
            return false
          }
        })
      // A file that is being opened is not listed yet.
      const isInUse = () =>
        process.getActiveResourcesInfo().includes('FSReqCallback') || openOnes().length > 0
      const closed = async () => {
        for (let n = 0; n < 1000 && isInUse(); n++)
          await new Promise(resolve => setTimeout(resolve, 5))
        return openOnes().length === 0
      }
      await pipeline(watched()).forEach(() => {})
      expect(await closed()).toBe(true)
      await pipeline(watched())
        .to(new TsvRowParser({ maxRowBytes: 64 }))
        .forEach(() => {})
        .catch(() => {})
      expect(await closed()).toBe(true)
      for await (const _ of pipeline(watched()).to(new Gunzip())) break
      expect(await closed()).toBe(true)
      for (const ticks of [0, 1, 2, 5]) {
        const source = watched()
        source.read()
        for (let n = 0; n < ticks; n++) await new Promise(resolve => setImmediate(resolve))
        source.destroy()
        expect(await closed()).toBe(true)
      }
    },
  )
})

test('a file: URL is a path, any other URL is refused', async () => {
  const blocks = await pipeline(new FileSource(pathToFileURL(small))).toArray()
  expect(Buffer.concat(blocks).toString()).toBe('a\n1\n')
  for (const address of ['https://shop.example/items.tsv?token=secret', 'file://other-machine/x']) {
    expect(() => new FileSource(new URL(address))).toThrow(
      expect.objectContaining({
        code: 'OPTION_INVALID',
        message: expect.not.stringContaining('secret'),
      }),
    )
  }
})

describe.runIf(runsWith('mkfifo') && existsSync('/proc/self/fd'))('a FIFO', () => {
  const fifo = join(folder, 'fifo')
  const openedTimes = () =>
    readdirSync('/proc/self/fd').filter(fd => {
      try {
        return readlinkSync(join('/proc/self/fd', fd)) === fifo
      } catch {
        return false
      }
    }).length

  test('is read to the end of its last writer, also where the writer comes late', async () => {
    execFileSync('mkfifo', [fifo])
    const bytes = Buffer.from(parts.flat().join('\n'))
    for (const delayMs of [0, 30]) {
      const reading = pipeline(new FileSource(fifo)).toArray()
      await new Promise(resolve => setTimeout(resolve, delayMs))
      const [blocks] = await Promise.all([reading, writeFile(fifo, bytes)])
      expect(Buffer.concat(blocks).equals(bytes)).toBe(true)
    }
    expect(openedTimes()).toBe(0)
    rmSync(fifo)
  })

  test.each([undefined, '', 'some bytes'])(
    'fault 161: an aborted run ends at once and closes it, before and behind its writer: %j',
    async written => {
      for (const delayMs of [0, 1, 30]) {
        execFileSync('mkfifo', [fifo])
        const abort = new AbortController()
        const source = new FileSource(fifo)
        const run = pipeline(source, { signal: abort.signal }).toArray()
        const outcome = run.catch((error: FeedError) => error.code)
        const writer = written === undefined ? undefined : await open(fifo, 'r+')
        await writer?.write(String(written))
        await new Promise(resolve => setTimeout(resolve, delayMs))
        abort.abort()
        expect(await outcome).toBe('ABORTED')
        await writer?.close()
        await expect.poll(openedTimes).toBe(0)
        rmSync(fifo)
      }
    },
  )
})
