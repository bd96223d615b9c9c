// What a run reports, and what it has released, when it is over.

import { channel } from 'node:diagnostics_channel'
import { Readable } from 'node:stream'
import { describe, expect, test } from 'vitest'
import type { Sink } from '../../../src/index'
import { concat, pipeline } from '../../../src/index'

type Call = 'open' | 'write' | 'prepare' | 'commit'

/** A sink that fails at one call, in one of the two ways. */
function failing(at: Call, way: 'throws' | 'rejects'): Sink<unknown> & { aborted: number } {
  const sink = { name: 'failing', aborted: 0, write() {}, commit() {}, abort: () => sink.aborted++ }
  const fail = () => {
    const error = new RangeError(at)
    if (way === 'rejects') return Promise.reject(error)
    throw error
  }
  return Object.assign(sink, { [at]: fail, abort: () => void sink.aborted++ })
}

const calls: Call[] = ['open', 'write', 'prepare', 'commit']
const cases = calls.flatMap(at => (['throws', 'rejects'] as const).map(way => [at, way] as const))

describe.each(cases)('fault 120: a sink whose %s %s', (at, way) => {
  test('the source is closed, and all reports are made once, with the error', async () => {
    const cancelled: unknown[] = []
    const sources = {
      node: Readable.from([1, 2]),
      web: new ReadableStream({
        pull: controller => controller.enqueue(1),
        cancel: reason => void cancelled.push(reason),
      }).pipeThrough(new TransformStream()),
    }
    for (const source of Object.values(sources)) {
      const reports: unknown[] = []
      const see = (message: unknown) => reports.push((message as { code: string }).code)
      channel('feedmill:run').subscribe(see)
      const sink = failing(at, way)
      const run = pipeline(source as AsyncIterable<number>, {
        onProgress: () => void reports.push('progress'),
        onSettled: (_summary, error) => void reports.push(error?.code),
      })
        .take(1)
        .run(sink)
      await expect(run).rejects.toMatchObject({
        code: 'STAGE_FAILED',
        context: { stage: 'failing' },
        cause: { message: at },
      })
      channel('feedmill:run').unsubscribe(see)
      expect(reports).toEqual(['progress', 'STAGE_FAILED', 'STAGE_FAILED'])
      expect(sink.aborted).toBe(1)
    }
    await new Promise(setImmediate)
    expect(sources.node.destroyed).toBe(true)
    expect(cancelled).toHaveLength(1)
  })
})

test('fault 120: a run that goes well reports it after the commit', async () => {
  const log: unknown[] = []
  const sink: Sink<number> = {
    name: 'log',
    write() {},
    commit: () => void log.push('commit'),
    abort: () => void log.push('abort'),
  }
  const onSettled = (_summary: unknown, error?: Error) => void log.push(error)
  await pipeline([1], { onSettled }).run(sink)
  expect(log).toEqual(['commit', undefined])
})

test('fault 120: a pipeline that is aborted before its sink is open leaves the sink unwritten', async () => {
  const abort = new AbortController()
  const log: string[] = []
  const sink: Sink<number> = {
    name: 'log',
    open: () => abort.abort(),
    write: () => void log.push('write'),
    commit: () => void log.push('commit'),
    abort: () => void log.push('abort'),
  }
  const run = concat([pipeline([1])], { signal: abort.signal }).run(sink)
  await expect(run).rejects.toMatchObject({ code: 'ABORTED' })
  expect(log).toEqual(['abort'])
})

test.each([
  ['undefined', () => undefined],
  ['a number', () => 5],
  ['a promise of null', async () => null],
])('a source whose next() gives %s fails, and is not read for ever', async (_case, next) => {
  const key = next instanceof (async () => {}).constructor ? Symbol.asyncIterator : Symbol.iterator
  const source = { [key]: () => ({ next }) } as unknown as Iterable<number>
  await expect(pipeline(source).toArray()).rejects.toMatchObject({
    code: 'STAGE_FAILED',
    context: { stage: 'source' },
  })
})
