// Tests the worker of a Gunzip over a large file: its output, and that it ends with its pipeline,
// however that ends.

import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { gzipSync } from 'node:zlib'
import { build } from 'tsup'
import { beforeEach, describe, expect, test, vi } from 'vitest'
import { InflateControl } from '../../../src/engine/codec/gzip/inflate-control'
import { type Pipeline, pipeline } from '../../../src/engine/pipeline/pipeline'
import { ChunkReassembler } from '../../../src/engine/stages/chunk-reassembler'
import { FileSource } from '../../../src/engine/stages/file-source'
import { GUNZIP_HELD_BYTES, Gunzip } from '../../../src/engine/stages/gunzip'
import { setMaxInflateWorkers } from '../../../src/engine/stages/inflate-worker-limit'
import { WORKER_FOR_BYTES } from '../../../src/engine/stages/parallel-inflate'
import { RangeFetcher } from '../../../src/engine/stages/range/range-fetcher'
import { TsvRowParser } from '../../../src/engine/stages/tsv-row-parser'
import { cutAt, feedText } from '../codec/gzip/build-gzip'
import { runGunzip } from './gunzip-run'
import { threads } from './recorded-workers'
import { ScriptedTransport } from './scripted-transport'

vi.mock('node:worker_threads', async original =>
  (await import('./recorded-workers')).recording(await original()),
)

const MIB = 1 << 20
const CONTENT = Buffer.concat([Buffer.from('a\tb\tc\td\n'), feedText(70_000)])
/** The data is stored, so that a large file takes no time to make. */
const FILE = gzipSync(CONTENT, { level: 0 })
const PIECES = cutAt(
  FILE,
  ...Array.from({ length: Math.floor(FILE.length / 65_536) }, (_, n) => (n + 1) * 65_536),
)

beforeEach(() => {
  threads.workers.length = 0
  setMaxInflateWorkers(1000)
})

const turn = () => new Promise(resolve => setTimeout(resolve, 1))

/** Gives the file so slowly that a worker which was started takes over. */
async function* slowly(pieces: readonly Uint8Array[] = PIECES): AsyncGenerator<Uint8Array> {
  for (const piece of pieces) {
    yield piece
    await turn()
    while (threads.controls.some(shared => !new InflateControl(shared).isReady)) await turn()
  }
}

test('one worker inflates a large file and ends with it', async () => {
  expect(FILE.length).toBeGreaterThan(3 * MIB)
  const outputs: Uint8Array[] = []
  await pipeline(slowly())
    .to(new Gunzip())
    .forEach(output => void outputs.push(output))
  expect(Buffer.concat(outputs).equals(CONTENT)).toBe(true)
  expect(threads.workers).toHaveLength(1)
  expect(new InflateControl(threads.controls[0]).outcome).toBeDefined()
  await threads.exited()
})

test('outputs that are kept are the reader’s own', async () => {
  const { output, error } = await runGunzip(PIECES)
  expect([error, output.equals(CONTENT)]).toEqual([undefined, true])
  await threads.exited()
})

test('without a worker where none is wanted, and for a small file', async () => {
  expect((await runGunzip(PIECES, { worker: false })).output.equals(CONTENT)).toBe(true)
  expect((await runGunzip([gzipSync(feedText(100))])).error).toBeUndefined()
  expect(threads.workers).toHaveLength(0)
})

describe('behind a source that knows the size of its file, a worker is started', () => {
  const workersFor = async (bytes: Pipeline<Uint8Array>) => {
    threads.workers.length = 0
    await bytes.to(new Gunzip()).forEach(() => {})
    await threads.exited()
    return threads.workers.length
  }
  const fromDisk = (path: string, file: Uint8Array) => {
    writeFileSync(path, file)
    return pipeline(new FileSource(path))
  }
  const fromRanges = (_path: string, file: Uint8Array) => {
    const transport = new ScriptedTransport(file, undefined, MIB)
    const fetcher = new RangeFetcher({ url: 'http://feed.test/file', transport })
    return pipeline(fetcher).to(new ChunkReassembler())
  }
  const large = gzipSync(Buffer.alloc(WORKER_FOR_BYTES + MIB, CONTENT), { level: 0 })

  test.each([
    ['FileSource', fromDisk],
    ['RangeFetcher', fromRanges],
  ])('only where enough of it follows (%s)', async (_, from) => {
    const folder = await mkdtemp(join(tmpdir(), 'gunzip-size-'))
    try {
      const path = join(folder, 'file.gz')
      expect(await workersFor(from(path, FILE))).toBe(0)
      expect(await workersFor(from(path, large))).toBe(1)
      // Members that are small need none, however many there are.
      const member = gzipSync(CONTENT.subarray(0, MIB / 4), { level: 0 })
      const members = Buffer.concat(Array.from({ length: 60 }, () => member))
      expect(members.length).toBeGreaterThan(WORKER_FOR_BYTES + MIB)
      expect(await workersFor(from(path, members))).toBe(0)
    } finally {
      await rm(folder, { recursive: true })
    }
  })
})

test('this thread inflates the file where no worker can start', async () => {
  threads.instead = () => {
    throw new Error('no threads here')
  }
  expect((await runGunzip(PIECES)).output.equals(CONTENT)).toBe(true)
})

describe('fault 104: more large files at once than workers', () => {
  const alive = () => threads.workers.filter(worker => worker.threadId !== -1).length
  let most = 0

  async function inflateWhole(): Promise<void> {
    const outputs: Uint8Array[] = []
    await pipeline(slowly())
      .to(new Gunzip())
      .forEach(output => {
        outputs.push(output)
        most = Math.max(most, alive())
      })
    expect(Buffer.concat(outputs).equals(CONTENT)).toBe(true)
  }

  beforeEach(() => {
    most = 0
  })

  test('have no more than the cap, and all their bytes', async () => {
    setMaxInflateWorkers(2)
    await Promise.all(Array.from({ length: 6 }, inflateWhole))
    expect(most).toBe(2)
    await threads.exited()
    expect(alive()).toBe(0)
  })

  test('have none where none is allowed', async () => {
    setMaxInflateWorkers(0)
    await Promise.all([inflateWhole(), inflateWhole()])
    expect(threads.workers).toHaveLength(0)
  })

  test('have one again after the last one’s file failed, was left, or its worker could not start', async () => {
    setMaxInflateWorkers(1)
    const left = new Gunzip()
    for await (const output of pipeline(slowly()).to(left))
      if (output.length > 0 && threads.workers.length === 1) break
    await threads.exited()
    // The list is emptied because `slowly` would wait for the ended worker, which may never have
    // become ready.
    threads.workers.length = 0
    const damaged = Buffer.concat([FILE.subarray(0, -8), Buffer.alloc(8)])
    await expect(
      pipeline(slowly(cutAt(damaged, MIB, 2 * MIB)))
        .to(new Gunzip())
        .forEach(() => {}),
    ).rejects.toMatchObject({ code: 'GZIP_CRC_MISMATCH' })
    await threads.exited()
    expect(threads.workers).toHaveLength(1)
    threads.instead = () => {
      throw new Error('no threads here')
    }
    await inflateWhole()
    threads.instead = undefined
    await inflateWhole()
    expect(threads.workers).toHaveLength(2)
    await threads.exited()
  })

  test('the number is a whole one', () => {
    for (const count of [-1, 1.5, Number.NaN, '2', null, undefined] as never[])
      expect(() => setMaxInflateWorkers(count)).toThrow(
        expect.objectContaining({ code: 'OPTION_INVALID' }),
      )
  })
})

test('a worker that dies ends the pipeline with a typed error', async () => {
  const dies = `const { workerData } = require('node:worker_threads')
    Atomics.store(new Int32Array(workerData.control), 8, 1)
    setTimeout(() => { throw new Error('it died') }, 20)`
  threads.instead = (Recorded, options) => new Recorded(dies, options)
  const run = pipeline(slowly())
    .to(new Gunzip())
    .to(new TsvRowParser())
    .forEach(() => {})
  await expect(run).rejects.toMatchObject({ code: 'STAGE_FAILED', context: { stage: 'Gunzip' } })
  await threads.exited()
})

describe.each([true, false])('the worker ends with its pipeline (fused: %s)', isFused => {
  const parsed = (pieces: AsyncIterable<Uint8Array>, signal?: AbortSignal) => {
    const gunzip = new Gunzip()
    if (!isFused) gunzip.on('close', () => {})
    return {
      gunzip,
      rows: pipeline(pieces, signal ? { signal } : {})
        .to(gunzip)
        .to(new TsvRowParser()),
    }
  }

  async function expectGone(): Promise<void> {
    expect(threads.workers).toHaveLength(1)
    await threads.exited()
    expect(
      process.getActiveResourcesInfo().filter(name => /Worker|MessagePort/.test(name)),
    ).toEqual([])
  }

  test('at its end', async () => {
    let rows = 0
    await parsed(slowly()).rows.forEach(() => void rows++)
    expect(rows).toBe(70_000)
    await expectGone()
  })

  test('at an error of the data', async () => {
    const damaged = Buffer.from(FILE)
    damaged.fill(0xff, 3 * MIB)
    await expect(
      parsed(slowly(cutAt(damaged, MIB, 2 * MIB))).rows.forEach(() => {}),
    ).rejects.toMatchObject({ code: /GZIP|TSV/ })
    await threads.exited()
  })

  test('at an error behind it', async () => {
    const run = parsed(slowly()).rows.forEach(row => {
      if (row.position.row === 60_000) throw new Error('enough')
    })
    await expect(run).rejects.toThrow('enough')
    await expectGone()
  })

  test('when its reader leaves', async () => {
    for await (const row of parsed(slowly()).rows) if (row.position.row === 60_000) break
    await expectGone()
  })

  test('on abort, whatever it waits for', async () => {
    const waits: readonly ((abort: AbortController) => AsyncGenerator<Uint8Array>)[] = [
      // The worker waits for input that never comes.
      async function* (abort) {
        yield* slowly(PIECES.slice(0, 40))
        setTimeout(() => abort.abort(), 20)
        await new Promise(() => {})
      },
      // The worker waits for nothing, because it works.
      async function* (abort) {
        yield* slowly(PIECES.slice(0, 40))
        abort.abort()
        yield* slowly(PIECES.slice(40))
      },
    ]
    for (const wait of waits) {
      threads.workers.length = 0
      const abort = new AbortController()
      const { gunzip, rows } = parsed(wait(abort), abort.signal)
      await expect(rows.forEach(() => {})).rejects.toMatchObject({ code: 'ABORTED' })
      expect(gunzip.destroyed).toBe(true)
      await expectGone()
    }
  })

  test('on abort behind a reader that stopped', async () => {
    const abort = new AbortController()
    const batches = parsed(slowly(), abort.signal).rows.batches()
    while (threads.workers.length === 0) await batches.next()
    for (let n = 0; n < 20; n++) await turn()
    abort.abort()
    await expectGone()
    await expect(batches.next()).rejects.toMatchObject({ code: 'ABORTED' })
  })

  test('when one of its stages is destroyed from outside', async () => {
    const { gunzip, rows } = parsed(slowly())
    const run = rows.forEach(row => {
      if (row.position.row === 50_000) gunzip.destroy()
    })
    await expect(run).rejects.toMatchObject({ code: 'STAGE_DESTROYED' })
    await expectGone()
  })
})

test('behind a stopped reader it holds no more than its cap', async () => {
  const gunzip = new Gunzip({ maxRatio: Infinity })
  const content = Buffer.alloc(80 * MIB, feedText(5000))
  const pieces = cutAt(
    gzipSync(content, { level: 1 }),
    ...Array.from({ length: 20 }, (_, n) => (n + 1) * 262_144),
  )
  let read = 0
  for (const piece of pieces) {
    if (gunzip.write(piece)) continue
    for (let output = gunzip.read(); output !== null && read < 20 * MIB; output = gunzip.read())
      read += output.length
    if (read >= 20 * MIB) break
    await turn()
  }
  while (threads.controls.length === 0 || !new InflateControl(threads.controls[0]).isReady)
    await turn()
  for (let n = 0; n < 50; n++) await turn()
  expect(gunzip.counters.bytesOut - read).toBeLessThanOrEqual(GUNZIP_HELD_BYTES)
  gunzip.destroy()
  await threads.exited()
})

test('a process that drops a pipeline in the middle of a file ends by itself', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'gunzip-'))
  try {
    const entry = join(folder, 'lets-go.ts')
    const source = `
      import { gzipSync } from 'node:zlib'
      import { Gunzip } from ${JSON.stringify(resolve(import.meta.dirname, '../../../src/engine/stages/gunzip'))}
      const file = gzipSync(Buffer.alloc(8 * 1024 * 1024, 'not much at all'), { level: 0 })
      const gunzip = new Gunzip()
      let at = 0
      let started = false
      const pump = () => {
        while (at < 6 * 1024 * 1024 && gunzip.write(file.subarray(at, (at += 65536)))) {}
        if (gunzip.read() === null && at >= 6 * 1024 * 1024) return console.log('dropped')
        setTimeout(pump, 2)
      }
      pump()`
    await writeFile(entry, source)
    await build({
      config: false,
      silent: true,
      entry: [entry],
      outDir: folder,
      format: 'cjs',
      noExternal: [/./],
      target: 'node20',
    })
    const [program] = (await readdir(folder)).filter(name => name !== 'lets-go.ts')
    const child = spawn(process.execPath, [join(folder, program!)], {
      stdio: ['ignore', 'pipe', 'inherit'],
      timeout: 20_000,
    })
    const said: Buffer[] = []
    child.stdout.on('data', data => said.push(data))
    const [code] = await once(child, 'exit')
    expect([code, Buffer.concat(said).toString()]).toEqual([0, 'dropped\n'])
  } finally {
    await rm(folder, { recursive: true })
  }
})
