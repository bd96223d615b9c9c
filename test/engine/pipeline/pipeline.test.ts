import { Readable } from 'node:stream'
import { describe, expect, test } from 'vitest'
import { FeedError } from '../../../src/engine/errors'
import { IterableSource } from '../../../src/engine/pipeline/iterators'
import { concat, pipeline, pipelineOfChain } from '../../../src/engine/pipeline/pipeline'
import { TapRows } from '../../../src/engine/pipeline/row-stages'
import type { PipelineSummary } from '../../../src/engine/pipeline/run'
import type { Sink } from '../../../src/engine/pipeline/sink'
import { Stage } from '../../../src/engine/stages/stage'
import { TsvRowParser } from '../../../src/engine/stages/tsv-row-parser'

const text = `id\tname\n${Array.from({ length: 100 }, (_, n) => `${n}\tname ${n}\n`).join('')}`
const rows = (chunk = 16) =>
  pipeline(() => chunksOf(chunk)).to(() => new TsvRowParser({ batchBytes: 64 }))
const ids = (from: number, to: number) =>
  Array.from({ length: to - from }, (_, n) => String(from + n))

function* chunksOf(size: number): Generator<Uint8Array> {
  const bytes = Buffer.from(text)
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size)
}

class Double extends Stage<number, number> {
  protected override *transform(n: number) {
    yield n
    yield n
  }
}

class FailAt extends Stage<number, number> {
  constructor(private readonly at: number) {
    super()
  }
  protected override *transform(n: number) {
    if (n === this.at) throw new FeedError('STATE_LIMIT', 'too many', { option: 'test', limit: n })
    yield n
  }
}

function memorySink<T>(log: unknown[] = []): Sink<T> & { log: unknown[] } {
  return {
    name: 'memory',
    log,
    open: () => void log.push('open'),
    write: item => void log.push(item),
    commit: () => void log.push('commit'),
    abort: error => void log.push(error.code),
  }
}

describe('terminals', () => {
  test('for await gives rows in order', async () => {
    const seen: string[] = []
    for await (const row of rows()) seen.push(row.text('id'))
    expect(seen).toEqual(ids(0, 100))
  })

  test('forEach, toArray, batches, toNodeReadable, run see the same', async () => {
    const each: string[] = []
    const summary = await rows().forEach(row => void each.push(row.text('id')))
    expect(each).toEqual(ids(0, 100))
    expect(summary.stages.map(({ stage, rowsOut }) => [stage, rowsOut])).toEqual([
      ['source', 0],
      ['TsvRowParser', 100],
    ])
    expect((await rows().toArray()).map(row => row.text('id'))).toEqual(each)
    const batched: string[] = []
    for await (const batch of rows().batches())
      for (const row of batch) batched.push(row.text('id'))
    expect(batched).toEqual(each)
    const read = await rows()
      .map(row => row.text('id'))
      .toNodeReadable()
      .toArray()
    expect(read).toEqual(each)
    const sink = memorySink<string[]>()
    await rows()
      .map(row => row.text('id'))
      .run(sink)
    expect(sink.log.flat()).toEqual(['open', ...each, 'commit'])
  })

  test('a promise in forEach holds the pipeline', async () => {
    let running = 0
    let most = 0
    await pipeline([1, 2, 3]).forEach(async () => {
      most = Math.max(most, ++running)
      await new Promise(setImmediate)
      running--
    })
    expect(most).toBe(1)
  })
})

describe('row helpers', () => {
  test('filter, map, tap and take work inside batches and compose', async () => {
    const seen: string[] = []
    const result = await rows()
      .filter(row => Number(row.text('id')) % 2 === 1)
      .tap(row => void seen.push(row.text('id')))
      .map(row => Number(row.text('id')))
      .filter(n => n > 10)
      .map(n => n * 2)
      .take(5)
      .toArray()
    expect(result).toEqual([22, 26, 30, 34, 38])
    expect(seen[0]).toBe('1')
  })

  test('filter keeps row positions and the other cells', async () => {
    const [row] = await rows()
      .filter(({ position }) => position.row === 43)
      .toArray()
    expect([row!.text('name'), row!.position.line]).toEqual(['name 42', 44])
  })

  test('take stops the source, and a pipeline can be taken from again', async () => {
    const first = rows().take(3)
    expect((await first.toArray()).map(row => row.text('id'))).toEqual(ids(0, 3))
    expect((await first.toArray()).map(row => row.text('id'))).toEqual(ids(0, 3))
    expect(await rows().take(0).toArray()).toEqual([])
    const readable = Readable.from(chunksOf(16), { objectMode: true })
    await pipeline<Uint8Array>(readable).to(new TsvRowParser()).take(1).toArray()
    expect(readable.destroyed).toBe(true)
    expect(() => rows().take(-1)).toThrow(expect.objectContaining({ code: 'OPTION_INVALID' }))
  })

  test('batch regroups elements over the borders of items, and gives the rest at the end', async () => {
    const sizes: number[] = []
    for await (const batch of rows().batch(30).batches()) sizes.push(batch.length)
    expect(sizes).toEqual([30, 30, 30, 10])
    expect((await rows().batch(7).toArray()).map(row => row.text('id'))).toEqual(ids(0, 100))
    const lists: number[][] = []
    for await (const list of pipeline([[1], [], [2, 3, 4], 5])
      .batch(2)
      .batches())
      lists.push(list)
    expect(lists).toEqual([[1, 2], [3, 4], [5]])
    for (const count of [0, 1.5, Number.POSITIVE_INFINITY])
      expect(() => pipeline([1]).batch(count)).toThrow(
        expect.objectContaining({ code: 'OPTION_INVALID' }),
      )
  })

  test('tap and forEach wait for one promise before the next call, and a rejection has their names', async () => {
    for (const [stage, use] of [
      [
        'tap',
        (see: (n: number) => Promise<void>) =>
          pipeline([[1, 2], [3]])
            .tap(see)
            .toArray(),
      ],
      ['pipeline', (see: (n: number) => Promise<void>) => pipeline([[1, 2], [3]]).forEach(see)],
    ] as const) {
      const order: string[] = []
      await use(async n => {
        order.push(`${n}`)
        await new Promise(setImmediate)
        order.push(`${n} done`)
      })
      expect(order).toEqual(['1', '1 done', '2', '2 done', '3', '3 done'])
      const bug = new RangeError('bug')
      const failing = use(async n => {
        await new Promise(setImmediate)
        if (n === 2) throw bug
      })
      await expect(failing).rejects.toMatchObject({
        code: 'STAGE_FAILED',
        context: { stage },
        cause: bug,
      })
    }
  })

  test('they work on plain items and arrays', async () => {
    expect(
      await pipeline([1, 2, 3])
        .to(new Double())
        .filter(n => n !== 2)
        .toArray(),
    ).toEqual([1, 1, 3, 3])
    expect(
      await pipeline([[1, 2], [3]])
        .map(n => n + 1)
        .toArray(),
    ).toEqual([2, 3, 4])
  })
})

describe('sources', () => {
  test('a Blob gives its bytes, in every run', async () => {
    const blob = new Blob([text])
    const read = pipeline(blob).to(() => new TsvRowParser())
    expect(await read.map(row => row.get('id')).toArray()).toEqual(ids(0, 100))
    expect(await read.take(1).toArray()).toHaveLength(1)
    expect(await pipeline(() => blob).toArray()).toEqual([new TextEncoder().encode(text)])
  })

  test('Node streams, web streams, generators, pipelines and functions of them', async () => {
    const parser = () => new TsvRowParser()
    const sources = [
      () => Readable.from(chunksOf(7)) as AsyncIterable<Uint8Array>,
      () => Readable.toWeb(Readable.from(chunksOf(7))) as unknown as AsyncIterable<Uint8Array>,
      () => chunksOf(7),
    ]
    for (const source of sources)
      expect(await pipeline<Uint8Array>(source()).to(parser).toArray()).toHaveLength(100)
    expect(await pipeline(rows()).take(7).toArray()).toHaveLength(7)
    expect(await pipeline(pipeline([1, 2]).to(() => new Double())).toArray()).toEqual([1, 1, 2, 2])
  })

  test('a chain of stages with shared state is made for each run', async () => {
    const runs: number[][] = []
    const chain = pipelineOfChain<number>(() => {
      const seen: number[] = []
      runs.push(seen)
      return [new IterableSource([1, 2]), new Double(), new TapRows<number>(n => void seen.push(n))]
    })
    expect(await Promise.all([chain.toArray(), chain.map(n => n * 10).toArray()])).toEqual([
      [1, 1, 2, 2],
      [10, 10, 20, 20],
    ])
    const summary = await chain.forEach(() => {})
    expect(summary.stages.map(({ stage }) => stage)).toEqual(['source', 'Double', 'tap'])
    expect(runs).toEqual(Array(3).fill([1, 1, 2, 2]))
  })

  test('concat runs one pipeline after the other, and starts each when its turn comes', async () => {
    const started: number[] = []
    const parts = [1, 2, 3].map(n =>
      pipeline(() => {
        started.push(n)
        return [[n], [n]]
      }),
    )
    expect(await concat(parts).take(3).toArray()).toEqual([1, 1, 2])
    expect(started).toEqual([1, 2])
  })

  test('an abort reaches the part of a concat that waits, at once', async () => {
    class Stuck extends Double {
      protected override *flush(): Generator<number> {}
    }
    const stuck = new Stuck()
    const waiting = pipeline(() =>
      (async function* () {
        yield 1
        await new Promise(() => {})
      })(),
    ).to(stuck)
    const abort = new AbortController()
    const reading = concat([waiting], { signal: abort.signal }).forEach(
      () => void setImmediate(() => abort.abort()),
    )
    await expect(reading).rejects.toMatchObject({ code: 'ABORTED' })
    expect(stuck.destroyed).toBe(true)
  })

  test('a cancelled pipeline cancels a web stream in the middle of a read', async () => {
    let cancelled = false
    const stream = new ReadableStream<number>({
      start: controller => controller.enqueue(1),
      cancel: () => {
        cancelled = true
      },
    })
    const abort = new AbortController()
    const reading = pipeline<number>(stream as unknown as AsyncIterable<number>, {
      signal: abort.signal,
    }).forEach(() => void setImmediate(() => abort.abort()))
    await expect(reading).rejects.toMatchObject({ code: 'ABORTED' })
    expect(cancelled).toBe(true)
  })
})

describe('failure', () => {
  test('one typed error wherever it comes from, and every stage is destroyed', async () => {
    const stages = [new Double(), new FailAt(2), new Double()] as const
    const chain = pipeline([1, 2, 3]).to(stages[0]).to(stages[1]).to(stages[2])
    await expect(chain.toArray()).rejects.toMatchObject({ code: 'STATE_LIMIT' })
    expect(stages.every(stage => stage.destroyed)).toBe(true)
  })

  test('errors of callbacks and of the source are wrapped once, with their cause', async () => {
    const bug = new TypeError('bug')
    const throwing = () => {
      throw bug
    }
    const failures: [string, () => Promise<unknown>][] = [
      ['filter', () => pipeline([1]).filter(throwing).toArray()],
      ['map', () => pipeline([1]).map(throwing).toArray()],
      ['tap', () => pipeline([1]).tap(throwing).toArray()],
      ['pipeline', () => pipeline([1]).forEach(throwing)],
      ['pipeline', () => pipeline([1]).forEach(async () => throwing())],
      ['source', () => pipeline(throwing).toArray()],
    ]
    for (const [stage, failure] of failures)
      await expect(failure()).rejects.toMatchObject({
        code: 'STAGE_FAILED',
        context: { stage },
        cause: bug,
      })
  })

  test('a sink is committed only after the end, and aborted with the error otherwise', async () => {
    const sink = memorySink<number>()
    await expect(
      pipeline([1, 2, 3])
        .to(() => new FailAt(3))
        .run(sink),
    ).rejects.toMatchObject({ code: 'STATE_LIMIT' })
    expect(sink.log).toEqual(['open', 1, 2, 'STATE_LIMIT'])
    const failing: Sink<number> = {
      ...memorySink(),
      write: () => Promise.reject(new Error('disk')),
    }
    await expect(pipeline([1]).run(failing)).rejects.toMatchObject({
      code: 'STAGE_FAILED',
      context: { stage: failing.name },
    })
  })

  test('a replaced file is read again from its start, once, where the pipeline can be repeated', async () => {
    let runs = 0
    const replaced = new FeedError('RANGE_FILE_REPLACED', 'replaced', {
      url: 'u',
      byteOffset: 1,
      what: 'total',
      before: '1',
      after: '2',
    })
    function* failing(times: number) {
      yield ++runs
      if (runs <= times) throw replaced
    }
    const sink = memorySink<number>()
    await pipeline(() => failing(1)).run(sink)
    expect(sink.log).toEqual(['open', 1, 'RANGE_FILE_REPLACED', 'open', 2, 'commit'])
    runs = 0
    expect(await pipeline(() => failing(1)).toArray()).toEqual([2])
    runs = 0
    await expect(pipeline(() => failing(2)).toArray()).rejects.toBe(replaced)
    expect(runs).toBe(2)
    runs = 0
    await expect(pipeline(failing(1)).toArray()).rejects.toBe(replaced)
    runs = 0
    await expect(
      pipeline(() => failing(1))
        .to(new Double())
        .toArray(),
    ).rejects.toBe(replaced)
    runs = 0
    function* once() {
      yield pipeline(() => failing(1))
    }
    await expect(concat(once()).toArray()).rejects.toBe(replaced)
  })

  test('abort before and during a run', async () => {
    await expect(
      pipeline([1], { signal: AbortSignal.abort('why') }).toArray(),
    ).rejects.toMatchObject({ code: 'ABORTED', cause: 'why' })
    const abort = new AbortController()
    const stuck = pipeline(
      () =>
        (async function* () {
          yield 1
          await new Promise(() => {})
        })(),
      { signal: abort.signal },
    )
    const reading = stuck.forEach(() => void setImmediate(() => abort.abort()))
    await expect(reading).rejects.toMatchObject({ code: 'ABORTED' })
  })

  test('leaving a loop early destroys the whole chain', async () => {
    const stage = new Double()
    const chain = pipeline([1, 2, 3]).to(stage)
    for await (const _ of chain) break
    expect(stage.destroyed).toBe(true)
  })

  test('a source that can be read only once is not read again in silence', async () => {
    const once = pipeline(
      (function* () {
        yield 1
      })(),
    )
    const shared = pipeline(() => once)
    expect(await shared.toArray()).toEqual([1])
    await expect(once.toArray()).rejects.toMatchObject({
      code: 'STAGE_REUSED',
      context: { stage: 'source' },
    })
    await expect(shared.take(1).toArray()).rejects.toMatchObject({ code: 'STAGE_REUSED' })
  })

  test('an instance runs once', async () => {
    const chain = pipeline([1]).to(new Double())
    await chain.toArray()
    await expect(chain.toArray()).rejects.toMatchObject({ code: 'STAGE_REUSED' })
  })
})

test('progress while it runs and once at the end; onSettled with the first error', async () => {
  const seen: PipelineSummary[] = []
  const settled: unknown[] = []
  const options = {
    onProgress: (progress: PipelineSummary) => void seen.push(progress),
    progressMs: 1,
    onSettled: (_: unknown, error?: FeedError) => void settled.push(error?.code),
  }
  await pipeline(
    () =>
      (async function* () {
        for (let n = 0; n < 5; n++) {
          await new Promise(resolve => setTimeout(resolve, 2))
          yield n
        }
      })(),
    options,
  ).toArray()
  expect(seen.length).toBeGreaterThan(1)
  expect(seen.at(-1)!.stages[0]!.itemsOut).toBe(5)
  await expect(pipeline([1], options).to(new FailAt(1)).toArray()).rejects.toThrow()
  expect(settled).toEqual([undefined, 'STATE_LIMIT'])
})

describe('a run that ends in an unusual way', () => {
  const boom = () => {
    throw new TypeError('boom')
  }
  const boomed = expect.objectContaining({
    code: 'STAGE_FAILED',
    cause: expect.objectContaining({ message: 'boom' }),
  })

  test('an abort while the last item is being used ends it with ABORTED: no sink commits', async () => {
    const controller = new AbortController()
    const sink = { ...memorySink<number>(), write: async () => controller.abort() }
    const settled: unknown[] = []
    const options = {
      signal: controller.signal,
      onSettled: (_: PipelineSummary, error?: FeedError) => void settled.push(error?.code),
    }
    await expect(pipeline([1], options).run(sink)).rejects.toMatchObject({ code: 'ABORTED' })
    expect(sink.log).toEqual(['open', 'ABORTED'])
    expect(settled).toEqual(['ABORTED'])

    const other = new AbortController()
    const reading = (async () => {
      for await (const _ of pipeline([1], { signal: other.signal })) other.abort()
    })()
    await expect(reading).rejects.toMatchObject({ code: 'ABORTED' })
  })

  test('a stage destroyed from outside fails what stands after it', async () => {
    for (const at of [0, 1, 2]) {
      const source = new IterableSource([1, 2, 3])
      const stages = [source, new Double(), new Double()] as const
      const reading = pipeline<number>(source)
        .to(stages[1])
        .to(stages[2])
        .forEach(() => void stages[at]!.destroy())
      await expect(reading, `stage ${at}`).rejects.toMatchObject({ code: 'STAGE_DESTROYED' })
      expect(stages.every(stage => stage.destroyed)).toBe(true)
    }
  })

  test('a source whose destroy throws hides neither the failure nor the end of others', async () => {
    const source = Object.assign([1, 2, 3], { destroy: boom })
    await expect(
      pipeline(() => source)
        .to(() => new FailAt(2))
        .toArray(),
    ).rejects.toMatchObject({ code: 'STATE_LIMIT' })
  })

  test('a stage whose release throws at a good end fails the run with its name, and closes', async () => {
    class Releasing extends Double {
      protected override release() {
        boom()
      }
    }
    for (const at of [0, 1]) {
      const stages = [
        at === 0 ? new Releasing() : new Double(),
        at === 1 ? new Releasing() : new Double(),
      ] as const
      const closed: number[] = []
      stages.forEach((stage, n) => void stage.on('close', () => closed.push(n)))
      const sink = memorySink<number>()
      await expect(pipeline([1]).to(stages[0]).to(stages[1]).run(sink)).rejects.toMatchObject({
        code: 'STAGE_FAILED',
        context: { stage: 'Releasing' },
        cause: { message: 'boom' },
      })
      expect(sink.log).not.toContain('commit')
      await new Promise(setImmediate)
      expect(closed.sort()).toEqual([0, 1])
    }
  })

  test('callbacks that throw fail the run, wherever they are called from', async () => {
    async function* slow() {
      yield 1
      await new Promise(resolve => setTimeout(resolve, 20))
      yield 2
    }
    await expect(pipeline(slow, { onProgress: boom, progressMs: 1 }).toArray()).rejects.toEqual(
      boomed,
    )
    await expect(pipeline([1], { onSettled: boom }).toArray()).rejects.toEqual(boomed)
    const reading = (async () => {
      for await (const _ of pipeline([1], { onSettled: boom }));
    })()
    await expect(reading).rejects.toEqual(boomed)
    const failing = pipeline([1], { onProgress: boom, onSettled: boom }).to(() => new FailAt(1))
    await expect(failing.toArray()).rejects.toMatchObject({ code: 'STATE_LIMIT' })
  })

  test('a sink whose abort fails does not hide the first error, and is not opened again', async () => {
    const replaced = new FeedError('RANGE_FILE_REPLACED', 'x', {
      url: '',
      byteOffset: 0,
      what: 'total',
      before: '1',
      after: '2',
    })
    for (const failure of [
      replaced,
      new FeedError('STATE_LIMIT', 'x', { option: 'test', limit: 1 }),
    ]) {
      const sink = { ...memorySink<number>(), abort: boom }
      const failing = pipeline(function* (): Generator<number> {
        yield 1
        throw failure
      })
      await expect(failing.run(sink)).rejects.toBe(failure)
      expect(sink.log).toEqual(['open', 1])
    }
  })

  test('a concat is read again only where all of it can be: no row is missing from what is committed', async () => {
    let runs = 0
    const replacedOnce = pipeline(function* (): Generator<number> {
      if (runs++ === 0)
        throw new FeedError('RANGE_FILE_REPLACED', 'x', {
          url: '',
          byteOffset: 0,
          what: 'total',
          before: '1',
          after: '2',
        })
      yield 3
    })
    const once = pipeline([1, 2].values())
    const sink = memorySink<number>()
    await expect(concat([once, replacedOnce]).run(sink)).rejects.toMatchObject({
      code: 'RANGE_FILE_REPLACED',
    })
    expect(sink.log).toEqual(['open', 1, 2, 'RANGE_FILE_REPLACED'])

    runs = 0
    const again = memorySink<number>()
    await concat([pipeline([1, 2]), replacedOnce]).run(again)
    expect(again.log).toEqual(['open', 1, 2, 'RANGE_FILE_REPLACED', 'open', 1, 2, 3, 'commit'])
  })
})

describe('misuse', () => {
  test('is OPTION_INVALID where the call is made', () => {
    const invalid = expect.objectContaining({ code: 'OPTION_INVALID' })
    for (const source of [null, undefined, 5, 'text', {}])
      expect(() => pipeline(source as never), String(source)).toThrow(invalid)
    for (const step of [null, undefined, {}])
      expect(() => pipeline([1]).to(step as never), String(step)).toThrow(invalid)
    for (const progressMs of [0, Number.NaN, Number.POSITIVE_INFINITY])
      expect(() => pipeline([1], { progressMs })).toThrow(invalid)
  })

  test('what the functions of a pipeline give or throw is typed', async () => {
    await expect(pipeline(() => null as never).forEach(() => {})).rejects.toMatchObject({
      code: 'OPTION_INVALID',
    })
    await expect(
      pipeline([1])
        .to(() => null as never)
        .forEach(() => {}),
    ).rejects.toMatchObject({ code: 'OPTION_INVALID' })
    const throwing = (): Stage<number, number> => {
      throw new TypeError('step')
    }
    await expect(
      pipeline([1])
        .to(throwing)
        .forEach(() => {}),
    ).rejects.toMatchObject({ code: 'STAGE_FAILED' })
  })

  test('an instance that stands in the chain twice is refused', async () => {
    const stage = new Double()
    await expect(pipeline([1]).to(stage).to(stage).toArray()).rejects.toMatchObject({
      code: 'STAGE_REUSED',
    })
  })
})

describe('iterators driven by hand', () => {
  test('steps asked for at once lose nothing', async () => {
    const iterator = pipeline([[1, 2], [], [3], [4, 5]])[Symbol.asyncIterator]()
    const steps = await Promise.all(Array.from({ length: 7 }, () => iterator.next()))
    expect(steps.map(({ value }) => value)).toEqual([1, 2, 3, 4, 5, undefined, undefined])
  })

  test('after return there is no next: nothing is left over and nothing starts', async () => {
    const iterator = pipeline([[1, 2], [3]])[Symbol.asyncIterator]()
    await iterator.next()
    await iterator.return?.()
    expect(await iterator.next()).toEqual({ value: undefined, done: true })

    let started = 0
    const batches = pipeline(() => [++started]).batches()
    await batches.return()
    expect(await batches.next()).toEqual({ value: undefined, done: true })
    expect(started).toBe(0)
  })

  test('an item of any number of members fits into toArray', async () => {
    expect(await pipeline([new Array(300_000).fill(1)]).toArray()).toHaveLength(300_000)
  })
})

test.each([
  ['nothing', undefined],
  ['null', null],
  ['a function', () => {}],
  ['a class', class Memory {}],
  ['a path', 'out.csv'],
  ['a sink without commit and abort', { name: 'memory', write() {} }],
  ['a sink without write', { name: 'memory', commit() {}, abort() {} }],
])('fault 102: %s in place of a sink is refused before anything is read', async (_, sink) => {
  let reads = 0
  const run = pipeline(() => [reads++]).run(sink as unknown as Sink<number>)
  await expect(run).rejects.toMatchObject({
    code: 'OPTION_INVALID',
    message: expect.stringMatching(
      /^sink must be an object with the methods write, commit, abort, not /,
    ),
    context: { option: 'sink' },
  })
  expect(reads).toBe(0)
})

test('fault 102: a sink without a name, which its errors need, is refused', async () => {
  const sink = { write() {}, commit() {}, abort() {} }
  await expect(pipeline([1]).run(sink as unknown as Sink<number>)).rejects.toMatchObject({
    code: 'OPTION_INVALID',
    context: { option: 'sink.name' },
  })
})
