// Outputs that are inputs, other outputs, or a part of a state folder: in random trees of paths, in
// every kind of source and sink, and by every way in which two paths lead to one file.
//
// Long: each of its runs makes files, and Parquet loads an encoder.

import { createReadStream, createWriteStream } from 'node:fs'
import { link, mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, relative, resolve } from 'node:path'
import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { arrowSink } from '../../../src/arrow'
import { duckdbSink } from '../../../src/duckdb'
import {
  byteSink,
  concat,
  csvSink,
  FileSource,
  ndjsonSink,
  pipeline,
  quarantine,
  replay,
  type Sink,
  sqliteSink,
  TsvColumnParser,
  TsvRowParser,
  tee,
} from '../../../src/index'
import { parquetSink } from '../../../src/parquet'

let folder: string
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'feedmill-shared-'))
})
afterEach(() => rm(folder, { recursive: true }))

const TSV = 'sku\tstock\nA-1\t12\n'
const FOLDS_CASE = process.platform !== 'linux'

/** Two files that are there and two that are not, in two folders, under equal names. */
const FILES = ['a/there', 'b/there', 'a/new', 'b/new', ...(FOLDS_CASE ? [] : ['a/THERE', 'a/NEW'])]
const IS_THERE = (file: string) => file.toLowerCase().endsWith('there')

/** The ways to a file, beside links, which are made for it. */
const WAYS: readonly ((file: string) => string)[] = [
  file => join(folder, file),
  file => relative('', join(folder, file)),
  file => `${folder}/./${file}`,
  file => `${folder}/${file[0]}/../${file}`,
  file => join(folder, `to-${file}`),
  file => `${folder}/b/../to-${file}`,
  file => join(folder, 'links', flat(file)),
  file => join(folder, 'links/again', flat(file)),
  file => join(folder, 'hard', flat(file)),
]
const flat = (file: string) => file.replace('/', '-')

async function makeTree(): Promise<void> {
  await rm(folder, { recursive: true, force: true })
  for (const name of ['a', 'b', 'links/again', 'hard'])
    await mkdir(join(folder, name), { recursive: true })
  for (const name of ['a', 'b']) await symlink(name, join(folder, `to-${name}`))
  for (const file of FILES) {
    if (IS_THERE(file)) {
      await writeFile(join(folder, file), TSV)
      await link(join(folder, file), join(folder, 'hard', flat(file)))
    } else await symlink(`../to-${file}`, join(folder, 'hard', flat(file)))
    await symlink(`../${file}`, join(folder, 'links', flat(file)))
    await symlink(`../${flat(file)}`, join(folder, 'links/again', flat(file)))
  }
}

async function contents(): Promise<Record<string, string>> {
  const found: Record<string, string> = {}
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
    if (entry.isDirectory()) continue
    const path = join(entry.parentPath, entry.name)
    found[path] = await readFile(path, 'utf8').catch(() => 'no file')
  }
  return found
}

let reads = 0
const counted = <T>(source: Iterable<T>) =>
  (function* () {
    reads++
    yield* source
  })()
const parser = () => new TsvRowParser()

/** Pipelines of rows that read these files, and begin in different ways. */
const SOURCES: readonly ((paths: readonly string[]) => ReturnType<typeof rowsOf>)[] = [
  paths => rowsOf(new FileSource(paths[0]!)),
  paths => rowsOf(() => new FileSource(paths[0]!)),
  paths => rowsOf(pipeline(new FileSource(paths[0]!))),
  paths => rowsOf(pipeline(() => pipeline(new FileSource(paths[0]!)))),
  paths => concat(paths.map(path => rowsOf(new FileSource(path)))),
  paths => concat(paths.map(path => rowsOf(() => new FileSource(path)))),
  paths => rowsOf(() => createReadStream(paths[0]!)),
]
const rowsOf = (source: Parameters<typeof pipeline<Uint8Array>>[0]) =>
  pipeline<Uint8Array>(source).to(parser)

const EACH: readonly ((target: string) => unknown)[] = [
  byteSink,
  csvSink,
  ndjsonSink,
  arrowSink,
  parquetSink,
]
const SINKS: readonly ((path: string) => Sink<unknown>)[] = [
  path => csvSink(path) as Sink<unknown>,
  path => ndjsonSink(path) as Sink<unknown>,
  path => arrowSink(path) as Sink<unknown>,
  path => parquetSink(path) as Sink<unknown>,
]

const place = fc.record({ file: fc.nat(FILES.length - 1), way: fc.nat(WAYS.length - 1) })
const thereOnly = place.filter(({ file }) => IS_THERE(FILES[file]!))

test('fault 160: in random trees of paths a run is refused exactly where an output is an input or another output, and then nothing is opened', async () => {
  const seen = { refused: 0, run: 0 }
  let isChanged = true
  await fc.assert(
    fc.asyncProperty(
      fc.nat(SOURCES.length - 1),
      fc.array(thereOnly, { minLength: 1, maxLength: 3 }),
      fc.array(fc.tuple(place, fc.nat(SINKS.length - 1)), { minLength: 1, maxLength: 3 }),
      async (source, inputs, outputs) => {
        if (isChanged) await makeTree()
        isChanged = true
        const pathOf = ({ file, way }: { file: number; way: number }) => WAYS[way]!(FILES[file]!)
        const isMany = source === 4 || source === 5
        const ins = isMany ? inputs : inputs.slice(0, 1)
        const outs = outputs.map(([output]) => output.file)
        const isShared =
          new Set(outs).size < outs.length || ins.some(({ file }) => outs.includes(file))
        const before = await contents()
        const sinks = outputs.map(([output, kind]) => SINKS[kind]!(pathOf(output)))
        const run = SOURCES[source]!(ins.map(pathOf)).run(tee(sinks) as never)
        if (!isShared) {
          seen.run++
          await run
          return
        }
        seen.refused++
        const error = await run.then(
          () => ({ code: 'ended well', message: '' }),
          (failure: Error & { code: string }) => failure,
        )
        expect(error.code).toBe('OPTION_INVALID')
        // A sink and a stream of Node name a file by its whole path.
        const named = [...ins, ...outputs.map(([output]) => output)].map(pathOf)
        const told = named.filter(
          name => error.message.includes(name) || error.message.includes(resolve(name)),
        )
        expect(told.length).toBeGreaterThanOrEqual(2)
        expect(await contents()).toEqual(before)
        isChanged = false
      },
    ),
    { numRuns: 200 },
  )
  expect(Math.min(seen.refused, seen.run)).toBeGreaterThan(50)
})

describe('fault 160: a run is refused', () => {
  let input: string
  let state: string
  beforeEach(async () => {
    reads = 0
    input = join(folder, 'in.tsv')
    await writeFile(input, TSV)
    state = join(folder, 'state')
    await mkdir(join(state, 'runs'), { recursive: true })
    await writeFile(join(state, 'state.json'), '{"feedmill":"state","format":2,"marketplace":"M"}')
    await symlink('state', join(folder, 'link'))
  })

  const refused = async (start: () => Promise<unknown>, ...names: string[]) => {
    const before = await contents()
    const error = await start().then(
      () => ({ code: 'ended well', message: '' }),
      (failure: Error & { code: string }) => failure,
    )
    expect(error.code).toBe('OPTION_INVALID')
    for (const name of names) expect(error.message).toContain(resolve(name))
    expect(await contents()).toEqual(before)
    expect(reads).toBe(0)
  }

  test('where a sink writes into a state folder, however deep and by whatever link', async () => {
    for (const path of [
      'state/state.json',
      'state/runs/new',
      'state/new/deep',
      'link/state.json',
      'state/../link/runs/x',
    ])
      for (const make of EACH) {
        const target = `${folder}/${path}`
        const sink = make(target) as Sink<unknown>
        await refused(() => pipeline(counted([Buffer.from('')])).run(sink), target, state)
        // A sink within a sink of somebody else, which says nothing of its files.
        const own = { ...sink, writes: undefined } as never
        await refused(() => pipeline(counted([Buffer.from('')])).run(own), target, state)
      }
    const table = { table: 't', schema: undefined } as never
    for (const make of [sqliteSink, duckdbSink])
      await refused(() => pipeline(counted([{}])).run(make(join(state, 'x'), table)), state)
    const bad = new TsvRowParser({ onBadRow: quarantine(join(folder, 'link/bad')) })
    await refused(
      () =>
        pipeline(counted([Buffer.from(TSV)]))
          .to(bad)
          .toArray(),
      state,
    )
    // A file of that name alone makes no state folder.
    await writeFile(join(state, 'state.json'), '{}')
    await pipeline([{ a: 1 }]).run(csvSink(join(state, 'out')))
  })

  test('where a quarantine is the input, the output, or that of another stage', async () => {
    const bad = join(folder, 'bad')
    const rows = (path: string, onBadRow = quarantine(path)) =>
      pipeline(new FileSource(input)).to(new TsvRowParser({ onBadRow }))
    await refused(() => rows(input).toArray(), input)
    await refused(() => rows(bad).run(csvSink(relative('', bad))), bad, relative('', bad))
    const columns = new TsvColumnParser({ onBadRow: quarantine(bad), onBadCell: quarantine(bad) })
    await refused(() => pipeline(new FileSource(input)).to(columns).toArray(), bad)
    const table = { table: 't', onBadCell: quarantine(bad) }
    await refused(() => rows(bad).run(sqliteSink(join(folder, 't'), table)), bad)
    // One quarantine may serve several stages, and several runs one after the other.
    const one = quarantine(bad)
    await pipeline(new FileSource(input))
      .to(new TsvColumnParser({ onBadRow: one, onBadCell: one }))
      .toArray()
    await concat(
      [input, input].map(path =>
        pipeline(new FileSource(path)).to(new TsvRowParser({ onBadRow: quarantine(bad) })),
      ),
    ).toArray()
  })

  test('where replay(path) writes what it reads', async () => {
    const mended = join(folder, 'mended')
    await writeFile(mended, '{"file":{"feed":"other"},"columns":["sku"]}\n')
    await refused(() => pipeline(replay(mended)).run(ndjsonSink(mended)), mended)
    const again = replay(mended, { onBadRow: quarantine(mended) })
    await refused(() => pipeline(again).toArray(), mended)
    await refused(() => concat([pipeline(() => replay(mended))]).run(ndjsonSink(mended)), mended)
  })

  test('where a stream of Node writes the file that is read, or two sinks write one stream', async () => {
    const stream = createWriteStream(input, { flags: 'r+' })
    await refused(() => pipeline(new FileSource(input)).run(byteSink(stream)), input)
    const other = join(folder, 'other')
    const two = createWriteStream(other, { flags: 'a' })
    await new Promise(resolve => two.once('open', resolve))
    await refused(() => pipeline([1]).run(tee([ndjsonSink(two), ndjsonSink(other)])), other)
    await refused(() => pipeline([1]).run(tee([ndjsonSink(two), ndjsonSink(two)])), other)
    stream.destroy()
    two.destroy()
  })

  test('where a source and a sink of the caller name their files', async () => {
    const source = Object.assign(counted([1]), { reads: [input] })
    const sink = {
      name: 'own',
      writes: [join(folder, 'state/../in.tsv')],
      write() {},
      commit() {},
      abort() {},
    }
    await refused(() => pipeline(source).run(sink), input, sink.writes[0]!)
  })

  test('but not for a terminal, a device, or a place that cannot be looked at', async () => {
    await pipeline([1]).run(tee([ndjsonSink('/dev/null'), ndjsonSink('/dev/null')]))
    await symlink('circle', join(folder, 'circle'))
    const circle = ndjsonSink(join(folder, 'circle'))
    await expect(pipeline([1]).run(circle)).rejects.toMatchObject({ code: 'SINK_FAILED' })
  })
})
