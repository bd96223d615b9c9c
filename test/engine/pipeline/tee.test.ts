// A sink of several sinks: what each sink is told, with a fault injected at every call of every sink.

import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { FeedError } from '../../../src/engine/errors'
import { pipeline } from '../../../src/engine/pipeline/pipeline'
import type { Sink } from '../../../src/engine/pipeline/sink'
import { tee } from '../../../src/engine/pipeline/tee'
import { csvSink } from '../../../src/engine/sinks/csv-sink'
import { ndjsonSink } from '../../../src/engine/sinks/ndjson-sink'

const CALLS = ['open', 'write 1', 'write 2', 'prepare', 'commit'] as const
type Call = (typeof CALLS)[number]
const bug = new RangeError('fault')
const turn = () => new Promise<void>(resolve => setImmediate(resolve))

interface Fault {
  readonly sink: number
  readonly call: Call | 'abort'
  readonly isAsync: boolean
}

/** Sinks that write their calls into one log, and fail where `fault` says. */
function loggedSinks(log: string[], faults: readonly Fault[]): Sink<number>[] {
  return [0, 1, 2].map(number => {
    let writes = 0
    const call = (name: Call | 'abort') => {
      log.push(`${number} ${name}`)
      const fault = faults.find(({ sink, call }) => sink === number && call === name)
      if (fault?.isAsync) return turn().then(() => Promise.reject(bug))
      if (fault) throw bug
      // One sink is slow, one answers at once.
      return number === 1 ? turn() : undefined
    }
    return {
      name: `memory ${number}`,
      open: () => call('open'),
      write: () => call(++writes === 1 ? 'write 1' : 'write 2'),
      prepare: () => call('prepare'),
      commit: () => call('commit'),
      abort: () => call('abort'),
    }
  })
}

const label = (number: number) => `sink ${number + 1} (memory ${number})`

describe('a fault at one call of one sink', () => {
  const faults = CALLS.flatMap(call =>
    [0, 1, 2].flatMap(sink => [true, false].map(isAsync => ({ sink, call, isAsync }) as Fault)),
  )

  test.each(faults)('$call of sink $sink (async: $isAsync)', async fault => {
    const { sink, call } = fault
    const log: string[] = []
    const error = await pipeline([1, 2])
      .run(tee(loggedSinks(log, [fault])))
      .catch((failure: unknown) => failure)
    if (!FeedError.is(error)) throw error
    const isPartly = call === 'commit' && sink > 0
    if (!isPartly)
      expect(error).toMatchObject({
        code: 'STAGE_FAILED',
        context: { stage: `memory ${sink}` },
        cause: bug,
      })
    else
      expect(error).toMatchObject({
        code: 'SINK_PARTLY_COMMITTED',
        context: {
          committed: [0, 1, 2].slice(0, sink).map(label),
          failed: label(sink),
          aborted: [0, 1, 2].slice(sink).map(label),
        },
        cause: { code: 'STAGE_FAILED', cause: bug },
        retryable: false,
      })

    const at = (name: string) => log.filter(line => line.endsWith(` ${name}`))
    const commits = at('commit')
    const opened = call === 'open' ? sink + 1 : 3
    expect(at('open')).toHaveLength(opened)
    expect(commits).toHaveLength(call === 'commit' ? sink + 1 : 0)
    if (commits.length > 0)
      expect(log.indexOf(commits[0]!)).toBeGreaterThan(log.lastIndexOf('2 prepare'))
    // Each sink that was opened ends once: it has committed, or it is aborted.
    expect(at('abort').sort()).toEqual(
      [0, 1, 2].slice(isPartly ? sink : 0, opened).map(number => `${number} abort`),
    )
  })

  test.each(faults.filter(({ call }) => call !== 'commit'))(
    '$call of sink $sink (async: $isAsync), where an abort fails as well: all others are aborted',
    async fault => {
      const log: string[] = []
      const run = pipeline([1, 2]).run(
        tee(loggedSinks(log, [fault, { sink: 0, call: 'abort', isAsync: fault.isAsync }])),
      )
      await expect(run).rejects.toMatchObject({ context: { stage: `memory ${fault.sink}` } })
      const opened = fault.call === 'open' ? fault.sink + 1 : 3
      expect(log.filter(line => line.endsWith('abort'))).toHaveLength(opened)
    },
  )

  test('an abort that fails after a partial commit leaves the sink out of the lists', async () => {
    const faults: Fault[] = [
      { sink: 1, call: 'commit', isAsync: true },
      { sink: 1, call: 'abort', isAsync: true },
    ]
    await expect(pipeline([1]).run(tee(loggedSinks([], faults)))).rejects.toMatchObject({
      code: 'SINK_PARTLY_COMMITTED',
      context: { committed: [label(0)], failed: label(1), aborted: [label(2)] },
    })
  })
})

test('a good run calls every sink once, and commits after all are prepared', async () => {
  const log: string[] = []
  await pipeline([1]).run(tee(loggedSinks(log, [])))
  const all = (call: string) => [0, 1, 2].map(number => `${number} ${call}`)
  expect(log).toEqual(['open', 'write 1', 'prepare', 'commit'].flatMap(all))
})

test('the slowest sink holds the pipeline', async () => {
  let given = 0
  let stored = 0
  const slow: Sink<number> = {
    name: 'slow',
    write: async () => {
      await turn()
      expect(given - stored++).toBeLessThan(3)
    },
    commit() {},
    abort() {},
  }
  const fast: Sink<number> = { name: 'fast', write() {}, commit() {}, abort() {} }
  await pipeline(function* () {
    while (given < 20) yield ++given
  }).run(tee([fast, slow]))
  expect(stored).toBe(20)
})

test('a failure of a stage aborts all sinks, and the same tee serves the next run', async () => {
  const log: string[] = []
  const sink = tee(loggedSinks(log, []))
  let isGood = false
  const numbers = pipeline(function* () {
    yield 1
    if (!isGood) throw bug
  })
  await expect(numbers.run(sink)).rejects.toMatchObject({ cause: bug })
  expect(log.filter(line => /prepare|commit/.test(line))).toEqual([])
  isGood = true
  await numbers.run(sink)
  expect(log.filter(line => line.endsWith('commit'))).toHaveLength(3)
})

test('tees nest, and the error names every sink of both', async () => {
  const faults: Fault[] = [{ sink: 1, call: 'commit', isAsync: false }]
  const [a, b, c] = loggedSinks([], faults) as [Sink<number>, Sink<number>, Sink<number>]
  await expect(pipeline([1]).run(tee([tee([a, b]), c]))).rejects.toMatchObject({
    code: 'SINK_PARTLY_COMMITTED',
    context: {
      committed: ['sink 1 (tee): sink 1 (memory 0)'],
      failed: 'sink 1 (tee): sink 2 (memory 1)',
      aborted: ['sink 1 (tee): sink 2 (memory 1)', 'sink 2 (memory 2)'],
    },
  })
})

describe('files', () => {
  let folder: string
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'feedmill-tee-'))
  })
  afterEach(() => rm(folder, { recursive: true }))

  test('appear together', async () => {
    const rows = [{ a: 1 }, { a: 2 }]
    const [csv, ndjson] = [join(folder, 'a.csv'), join(folder, 'a.ndjson')]
    await pipeline(rows).run(tee([csvSink(csv), ndjsonSink(ndjson)]))
    expect(await readFile(csv, 'utf8')).toBe('a\r\n1\r\n2\r\n')
    expect(await readFile(ndjson, 'utf8')).toBe('{"a":1}\n{"a":2}\n')
  })

  test('fault 125: a sink that fails at its end leaves no file of another sink, and targets as they were', async () => {
    const ndjson = join(folder, 'a.ndjson')
    await writeFile(ndjson, 'before')
    const csv = csvSink<{ a: number }>(join(folder, 'a.csv'), { columns: ['b' as string] as never })
    const run = pipeline([{ a: 1 }]).run(tee([ndjsonSink(ndjson), csv]))
    await expect(run).rejects.toMatchObject({ code: 'COLUMN_UNKNOWN' })
    expect(await readdir(folder)).toEqual(['a.ndjson'])
    expect(await readFile(ndjson, 'utf8')).toBe('before')
  })

  test('fault 125: a rename that fails after another has committed says so', async () => {
    const [first, second] = [join(folder, 'first'), join(folder, 'second')]
    const sinks = [ndjsonSink<number>(first), ndjsonSink<number>(second)]
    async function* thenBlocked() {
      yield 1
      // A folder at the target makes the rename fail.
      const { mkdir } = await import('node:fs/promises')
      await mkdir(second)
    }
    await expect(pipeline(thenBlocked).run(tee(sinks))).rejects.toMatchObject({
      code: 'SINK_PARTLY_COMMITTED',
      context: {
        committed: ['sink 1 (ndjson)'],
        failed: 'sink 2 (ndjson)',
        aborted: ['sink 2 (ndjson)'],
      },
      cause: { code: 'SINK_FAILED' },
    })
    expect((await readdir(folder)).sort()).toEqual(['first', 'second'])
  })
})

test.each([
  ['nothing', undefined],
  ['no sinks', []],
  ['a sink alone', { name: 'a', write() {}, commit() {}, abort() {} }],
  ['something else in the list', [7]],
])('%s in place of the list is refused at the call', (_, sinks) => {
  expect(() => tee(sinks as never)).toThrow(expect.objectContaining({ code: 'OPTION_INVALID' }))
})

test('a sink that stands twice in the list is refused', () => {
  const sink = ndjsonSink<number>('a')
  expect(() => tee([sink, sink])).toThrow(expect.objectContaining({ code: 'OPTION_INVALID' }))
})
