// Sources and steps that fill one buffer again for every block: each way to read or to store what
// they give has the bytes of the file. Law 8 of stages/laws.ts has the stages alone.

import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { type FileHandle, open } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { PassThrough } from 'node:stream'
import { createGunzip, gzipSync } from 'node:zlib'
import { afterAll, describe, expect, test } from 'vitest'
import { concat, type Pipeline, pipeline } from '../../../src/engine/pipeline/pipeline'
import { tee } from '../../../src/engine/pipeline/tee'
import { byteSink } from '../../../src/engine/sinks/byte-sink'
import { csvSink } from '../../../src/engine/sinks/csv-sink'
import { ndjsonSink } from '../../../src/engine/sinks/ndjson-sink'
import { ChunkReassembler } from '../../../src/engine/stages/chunk-reassembler'
import { Gunzip } from '../../../src/engine/stages/gunzip'
import { Stage } from '../../../src/engine/stages/stage'
import { TsvColumnParser } from '../../../src/engine/stages/tsv-column-parser'
import { TsvObjectParser } from '../../../src/engine/stages/tsv-object-parser'
import { TsvRowParser } from '../../../src/engine/stages/tsv-row-parser'
import { inspect } from '../../../src/inspect/inspect'

const ROWS = 4000
const folder = mkdtempSync(join(tmpdir(), 'feedmill-refilled-'))
afterAll(() => rmSync(folder, { recursive: true }))
const inFolder = (name: string) => join(folder, name)

const text = Buffer.from(
  `id\ttitle\n${Array.from({ length: ROWS }, (_, n) => `${n}\ttitle ${(n * 7919) % ROWS}\n`).join('')}`,
)
const ids = Array.from({ length: ROWS }, (_, n) => String(n))
writeFileSync(inFolder('file.tsv'), text)
writeFileSync(inFolder('file.tsv.gz'), gzipSync(text))

const SIZES = [1000, 16_384, 65_536]

/** Reads a file by one buffer. */
async function* read(name: string, size: number): AsyncGenerator<Uint8Array, void, void> {
  const buffer = Buffer.alloc(size)
  let file: FileHandle | undefined
  try {
    file = await open(inFolder(name))
    for (;;) {
      const { bytesRead } = await file.read(buffer, 0, size)
      if (bytesRead === 0) return
      yield buffer.subarray(0, bytesRead)
    }
  } finally {
    await file?.close()
  }
}

/** Copies each block into one buffer. */
async function* throughOne(blocks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  const buffer = Buffer.alloc(1 << 20)
  for await (const block of blocks) {
    buffer.set(block)
    yield buffer.subarray(0, block.length)
  }
}

async function* pieces(size: number) {
  let offset = 0
  for await (const bytes of read('file.tsv', size)) {
    yield { offset, bytes }
    offset += bytes.length
  }
}

class Keeper extends Stage<Uint8Array, Uint8Array> {
  readonly #kept: Uint8Array[] = []
  protected override transform(block: Uint8Array): undefined {
    this.#kept.push(block)
  }
  protected override flush() {
    return this.#kept
  }
}

const idsIn = (rows: Iterable<{ id?: unknown }>) => Array.from(rows, ({ id }) => id)

describe('fault 137: a source or a step that fills its buffer again', () => {
  const sources: Record<string, (name: string, size: number) => Pipeline<Uint8Array>> = {
    'a source': (name, size) => pipeline(read(name, size)),
    'a source behind a function': (name, size) => pipeline(() => read(name, size)),
    'another pipeline': (name, size) => pipeline(pipeline(read(name, size))),
    'pipelines one behind the other': (name, size) => concat([pipeline(read(name, size))]),
    'a generator in the middle': (name, size) => pipeline(read(name, size)).to(throughOne),
    'a Node stream in the middle': (name, size) =>
      pipeline(read(name, size)).to<Uint8Array>(() => new PassThrough()),
    'a web stream in the middle': (name, size) =>
      pipeline(read(name, size)).to(() => new TransformStream<Uint8Array, Uint8Array>()),
    'helpers in the middle': (name, size) =>
      pipeline(read(name, size))
        .tap(() => new Promise(setImmediate))
        .filter(() => true)
        .mapAsync(async block => block)
        .batch(3)
        .to(async function* one(arrays) {
          for await (const array of arrays) yield* array
        }),
    'a stage that keeps its inputs': (name, size) =>
      pipeline(read(name, size)).to(() => new Keeper()),
  }

  test.each(Object.entries(sources))('%s: rows, objects, columns, bytes', async (_, from) => {
    for (const size of SIZES) {
      const rows = await from('file.tsv', size).to(new TsvRowParser()).toArray()
      expect(rows.map(row => row.text('id'))).toEqual(ids)
      const objects = await from('file.tsv', size).to(new TsvObjectParser()).toArray()
      expect(idsIn(objects)).toEqual(ids)
      const columns = await from('file.tsv', size).to(new TsvColumnParser()).toArray()
      expect(idsIn(columns)).toEqual(ids)
      await from('file.tsv', size).run(byteSink(inFolder('copy.tsv')))
      expect(readFileSync(inFolder('copy.tsv')).equals(text)).toBe(true)
      expect(Buffer.concat(await from('file.tsv', size).toArray()).equals(text)).toBe(true)
      const readable: Uint8Array[] = []
      for await (const block of from('file.tsv', size).toNodeReadable()) readable.push(block)
      expect(Buffer.concat(readable).equals(text)).toBe(true)
      expect((await inspect(from('file.tsv', size))).rows).toBe(ROWS)
    }
  })

  test.each(['wasm', 'zlib', 'fflate'] as const)('Gunzip by %s', async engine => {
    for (const from of Object.values(sources))
      for (const size of SIZES) {
        const inflated = () => from('file.tsv.gz', size).to(new Gunzip({ engine, maxRatio: 2000 }))
        expect(idsIn(await inflated().to(new TsvObjectParser()).toArray())).toEqual(ids)
        expect(Buffer.concat(await inflated().toArray()).equals(text)).toBe(true)
      }
    const byNode = pipeline(read('file.tsv.gz', 5000)).to<Uint8Array>(() => createGunzip())
    expect(idsIn(await byNode.to(new TsvObjectParser()).toArray())).toEqual(ids)
  })

  test('Gunzip of a file that is large enough for a worker', async () => {
    const large = Buffer.alloc(4 << 20)
    for (let n = 0; n < large.length; n += 4) large.writeUInt32LE(Math.imul(n, 2654435761) >>> 0, n)
    writeFileSync(inFolder('large.gz'), gzipSync(large, { level: 1 }))
    for (const size of [65_536, 262_144]) {
      const blocks: Uint8Array[] = []
      const inflated = pipeline(read('large.gz', size)).to(new Gunzip())
      for await (const block of inflated.batches()) blocks.push(block)
      expect(Buffer.concat(blocks).equals(large)).toBe(true)
    }
  })

  test('ChunkReassembler, into a parser and into a file', async () => {
    for (const size of SIZES) {
      const ordered = () => pipeline(pieces(size)).to(new ChunkReassembler())
      expect(idsIn(await ordered().to(new TsvObjectParser()).toArray())).toEqual(ids)
      await ordered().run(byteSink(inFolder('pieces.tsv')))
      expect(readFileSync(inFolder('pieces.tsv')).equals(text)).toBe(true)
      // Pieces that come too early have to wait.
      const swapped = async function* (all: AsyncIterable<{ offset: number; bytes: Uint8Array }>) {
        let first: { offset: number; bytes: Uint8Array } | undefined
        for await (const { offset, bytes } of all)
          if (offset === 0) first = { offset, bytes: Uint8Array.from(bytes) }
          else yield { offset, bytes }
        yield first!
      }
      const late = () => pipeline(pieces(size)).to(swapped).to(new ChunkReassembler())
      expect(idsIn(await late().to(new TsvObjectParser()).toArray())).toEqual(ids)
      expect(Buffer.concat(await late().toArray()).equals(text)).toBe(true)
    }
  })

  test('sinks are done with an item before the next one is asked for', async () => {
    /** One array and one object for all rows. */
    async function* objects() {
      const row = { id: '' }
      const rows = [row]
      for (const id of ids) {
        row.id = id
        yield rows
        row.id = 'overwritten'
      }
    }
    const sinks = tee([ndjsonSink(inFolder('a.ndjson')), csvSink(inFolder('a.csv'))])
    await pipeline(objects()).run(sinks as never)
    const lines = readFileSync(inFolder('a.ndjson'), 'utf8').trimEnd().split('\n')
    expect(lines.map(line => (JSON.parse(line) as { id: string }).id)).toEqual(ids)
    expect(readFileSync(inFolder('a.csv'), 'utf8').split('\r\n').slice(1, -1)).toEqual(ids)
    const twice = tee([byteSink(inFolder('1.tsv')), byteSink(inFolder('2.tsv'))])
    await pipeline(read('file.tsv', 4096)).run(twice)
    expect(readFileSync(inFolder('2.tsv')).equals(text)).toBe(true)
  })
})
