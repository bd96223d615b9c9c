// Several writers of one path, in one process and in several, and processes that end in the middle
// of a file.

import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import { pipeline } from '../../../src/engine/pipeline/pipeline'
import { csvSink } from '../../../src/engine/sinks/csv-sink'
import { ndjsonSink } from '../../../src/engine/sinks/ndjson-sink'
import { builtScripts } from '../../built-scripts'
import type { WriterOrder } from './writer'

/**
 * More lines than fit the buffer of a sink, so that both have written to their files before either
 * ends.
 */
const LINES = 4_000
const TEMPORARY = /^out\.[0-9a-f]{16}\.partial$/

let built: string
beforeAll(async () => {
  built = await builtScripts('writer', { writer: 'test/engine/sinks/writer.ts' })
}, 60_000)
afterAll(() => rm(built, { recursive: true }))

let folder: string
let path: string
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'feedmill-writers-'))
  path = join(folder, 'out')
})
afterEach(() => rm(folder, { recursive: true }))

const line = (letter: string) => letter.repeat(500)
const fileOf = (letter: string) => `${JSON.stringify(line(letter))}\n`.repeat(LINES)
const start = (letter: string) => {
  const order: WriterOrder = { path, line: line(letter), lines: LINES }
  return fork(join(built, 'writer.js'), [JSON.stringify(order)], { execArgv: [] })
}
async function ended(child: ChildProcess): Promise<number | null> {
  const [code] = child.exitCode === null ? await once(child, 'exit') : [child.exitCode]
  return code as number | null
}

test('fault 90: two processes that write one path at the same time end well, and the file is one of the two, whole', async () => {
  const children = [start('a'), start('b')]
  await Promise.all(children.map(child => once(child, 'message')))
  expect((await readdir(folder)).filter(name => TEMPORARY.test(name))).toHaveLength(2)
  for (const child of children) child.send('go on')
  expect(await Promise.all(children.map(ended))).toEqual([0, 0])
  const text = await readFile(path, 'utf8')
  expect([fileOf('a'), fileOf('b')].some(whole => whole === text)).toBe(true)
  expect(await readdir(folder)).toEqual(['out'])
}, 60_000)

test('fault 90: the last commit of two sinks in one process wins, and nothing is mixed', async () => {
  async function* lines(letter: string) {
    for (let n = 0; n < LINES; n++) {
      // The other writer continues.
      if (n % 100 === 0) await new Promise(setImmediate)
      yield line(letter)
    }
  }
  await Promise.all([
    pipeline(lines('a')).run(ndjsonSink(path)),
    pipeline(lines('b')).run(ndjsonSink(path)),
  ])
  const text = await readFile(path, 'utf8')
  expect([fileOf('a'), fileOf('b')].some(whole => whole === text)).toBe(true)
  expect(await readdir(folder)).toEqual(['out'])
})

test('fault 90: the second of two simultaneous runs with one sink is refused, and the sink serves later runs', async () => {
  const sink = csvSink<{ a: string }>(path)
  async function* slowly(letter: string) {
    for (let n = 0; n < 3; n++) {
      await new Promise(setImmediate)
      yield { a: letter }
    }
  }
  const runs = await Promise.allSettled([
    pipeline(slowly('a')).run(sink),
    pipeline(slowly('b')).run(sink),
  ])
  expect(runs[0]!.status).toBe('fulfilled')
  expect(runs[1]).toMatchObject({
    status: 'rejected',
    reason: { code: 'SINK_FAILED', context: { sink: 'csv', target: path } },
  })
  expect(await readFile(path, 'utf8')).toBe('a\r\na\r\na\r\na\r\n')
  await pipeline([{ a: 'c' }]).run(sink)
  expect(await readFile(path, 'utf8')).toBe('a\r\nc\r\n')
  expect(await readdir(folder)).toEqual(['out'])
})

test('a process that exits in the middle removes its temporary file, and a killed process leaves it under its documented name', async () => {
  await writeFile(path, 'before')
  const exiting = start('a')
  await once(exiting, 'message')
  exiting.send('exit')
  expect(await ended(exiting)).toBe(3)
  expect(await readdir(folder)).toEqual(['out'])

  const killed = start('b')
  await once(killed, 'message')
  killed.kill('SIGKILL')
  await ended(killed)
  const left = (await readdir(folder)).filter(name => name !== 'out')
  expect(left).toEqual([expect.stringMatching(TEMPORARY)])
  expect(await readFile(path, 'utf8')).toBe('before')
}, 60_000)
