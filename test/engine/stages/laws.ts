// The laws of a stage (see src/README.md), as properties. laws.test.ts runs every stage through
// them.

import * as nodeStream from 'node:stream'
import { Duplex, PassThrough, Readable, Writable } from 'node:stream'
import { pipeline as nodePipeline } from 'node:stream/promises'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { ErrorCode } from '../../../src/engine/errors'
import { type Pipeline, pipeline } from '../../../src/engine/pipeline/pipeline'
import { Source } from '../../../src/engine/stages/source'
import { Stage } from '../../../src/engine/stages/stage'

export interface StageUnderLaw<In, Out> {
  readonly name: string
  /** Makes a new stage. A source cuts its output by `cuts` itself. */
  make(cuts: readonly number[]): Stage<In, Out>
  /** The whole input, cut by `cuts`; undefined for a source. */
  input?(cuts: readonly number[]): In[]
  /** The content of the outputs, which does not depend on their batches. */
  content(outputs: Out[]): unknown
  /**
   * Law 2: the bytes of input (or items, where they have no bytes) that were taken while nothing is
   * read.
   */
  readonly held: {
    readonly cap: number
    readonly of: (stage: Stage<In, Out>) => number
    endless(): Iterable<In> | undefined
  }
  /** Law 5: how an empty input ends, and how a cut input ends. */
  readonly empty: 'end' | ErrorCode
  /** Every prefix of the input, each with its allowed ends. A source has none. */
  prefixes?(): Iterable<{ input: In[]; ends: readonly ('end' | ErrorCode)[] }>
  /**
   * True for a stage that ends before its input: Node's own compose() reports that as a premature
   * close.
   */
  readonly endsEarly?: true
  /**
   * Law 7: the part of an output that a reader may keep, and the object that must then be
   * collectable.
   */
  readonly kept?: { of(output: Out): unknown; pinned(output: Out): object }
}

/** The types of Node 20 do not have this function. */
const { compose } = nodeStream as unknown as { compose(...streams: unknown[]): Duplex }

const tick = () => new Promise(resolve => setImmediate(resolve))

async function drive<In, Out>(
  stage: Stage<In, Out>,
  input: Iterable<In> | undefined,
): Promise<Out[]> {
  const outputs: Out[] = []
  const reading = (async () => {
    for await (const output of stage) outputs.push(output)
  })()
  if (input !== undefined) {
    for (const item of input) {
      if (stage.destroyed) break
      if (!stage.write(item))
        await Promise.race([
          new Promise(resolve => stage.once('drain', resolve)),
          reading.catch(() => {}),
        ])
    }
    stage.end()
  }
  await reading
  return outputs
}

async function endOf(run: Promise<unknown>): Promise<string> {
  try {
    await run
    return 'end'
  } catch (error) {
    return (error as { code?: string }).code ?? String(error)
  }
}

/** Gives the items again in the same memory, whose bytes are of no item between two of them. */
async function* refilling<In>(
  items: AsyncIterable<In> | Iterable<In>,
  memory = Buffer.alloc(1 << 16),
): AsyncGenerator<In> {
  const inMemory = (bytes: Uint8Array) => {
    memory.set(bytes)
    return memory.subarray(0, bytes.length)
  }
  for await (const item of items) {
    await tick()
    const { bytes, offset } = (item ?? {}) as { bytes?: unknown; offset?: number }
    if (item instanceof Uint8Array) yield inMemory(item) as In
    else if (bytes instanceof Uint8Array && offset !== undefined)
      yield { ...item, bytes: inMemory(bytes) }
    else yield item
    memory.fill('#')
  }
}

/** The same as a source and as a stage of one's own. */
class RefillingSource<In> extends Source<In> {
  readonly #items: Iterable<In>
  constructor(items: Iterable<In>) {
    super()
    this.#items = items
  }
  protected override produce() {
    return refilling(this.#items)
  }
}
class RefillingStage<In> extends Stage<In, In> {
  readonly #memory = Buffer.alloc(1 << 16)
  protected override transform(item: In) {
    return refilling([item], this.#memory)
  }
}

export function describeLaws<In, Out>(stage: StageUnderLaw<In, Out>): void {
  const run = (cuts: readonly number[] = []) => drive(stage.make(cuts), stage.input?.(cuts))
  const anyCuts = fc
    .array(fc.nat(100_000), { maxLength: 30 })
    .map(cuts => cuts.sort((a, b) => a - b))

  describe(`laws of ${stage.name}`, () => {
    test('1: the output does not depend on how the input was cut', async () => {
      const whole = stage.content(await run())
      await fc.assert(
        fc.asyncProperty(anyCuts, async cuts => {
          expect(stage.content(await run(cuts))).toEqual(whole)
        }),
        { numRuns: 10 },
      )
    })

    test('2: behind a stopped reader the bytes held stay under the cap', async () => {
      const stopped = stage.make([])
      stopped.on('error', () => {})
      const endless = stage.held.endless()
      if (endless === undefined) stopped.read()
      else {
        // This writer respects back-pressure.
        for (const item of endless) if (!stopped.write(item)) break
      }
      for (let n = 0; n < 20; n++) await tick()
      await new Promise(resolve => setTimeout(resolve, 20))
      expect(stage.held.of(stopped)).toBeLessThanOrEqual(stage.held.cap)
      expect(stopped.bufferLength).toBeLessThanOrEqual(1)
      stopped.destroy()
    })

    test('3: exactly one terminal event; a failure anywhere destroys every neighbour', async () => {
      const terminal: string[] = []
      const well = stage.make([])
      for (const event of ['end', 'error'] as const) well.on(event, () => terminal.push(event))
      await drive(well, stage.input?.([]))
      well.destroy(new Error('late'))
      await tick()
      expect(terminal).toEqual(['end'])

      const middle = stage.make([])
      const before = stage.input && Readable.from(stage.input([]))
      const after = new Writable({
        objectMode: true,
        write: (_item, _encoding, done) => done(new Error('no room')),
      })
      const streams = before ? [before, middle, after] : [middle, after]
      expect(await endOf(nodePipeline(streams as never))).toBe('Error: no room')
      expect([...streams.map(stream => stream.destroyed)]).not.toContain(false)
    })

    test('4: abort releases everything at once', async () => {
      const baseline = process.getActiveResourcesInfo()
      const abort = new AbortController()
      const made = stage.make([])
      const reading = stage.input
        ? pipeline<In>(endlessly(stage.held.endless()!), { signal: abort.signal })
            .to(made)
            .forEach(() => tick() as Promise<void>)
        : pipeline<Out>(made, { signal: abort.signal }).forEach(() => tick() as Promise<void>)
      await tick()
      abort.abort()
      expect(made.destroyed).toBe(true)
      expect(await endOf(reading)).toBe('ABORTED')
      for (let n = 0; n < 50 && beyond(baseline).length > 0; n++)
        await new Promise(resolve => setTimeout(resolve, 5))
      expect(beyond(baseline)).toEqual([])
    })

    test('5: an empty input has a defined end', async () => {
      if (stage.input) expect(await endOf(drive(stage.make([]), []))).toBe(stage.empty)
      else expect(await endOf(run())).toBe('end')
    })

    test('5: an input cut anywhere has a defined end: never a silent success', async () => {
      let cases = 0
      for (const { input, ends } of stage.prefixes?.() ?? []) {
        expect(ends).toContain(await endOf(drive(stage.make([]), input)))
        cases++
      }
      if (stage.input) expect(cases).toBeGreaterThan(1)
    })

    test('6: it works alone between Node streams, with for await, with web streams, as a Duplex, composed, and in the builder', async () => {
      const expected = stage.content(await run())
      const collected: Out[] = []
      const sink = () =>
        new Writable({
          objectMode: true,
          highWaterMark: 1,
          write: (item, _encoding, done) => {
            collected.push(item)
            setImmediate(done)
          },
        })
      const made = stage.make([])
      await nodePipeline(
        (stage.input ? [Readable.from(stage.input([])), made, sink()] : [made, sink()]) as never,
      )
      expect(stage.content(collected)).toEqual(expected)

      const web = stage.make([])
      if (stage.input)
        Readable.fromWeb(Readable.toWeb(Readable.from(stage.input([]))) as never, {
          objectMode: true,
        }).pipe(web as never)
      const throughWeb: Out[] = []
      for await (const item of Readable.toWeb(Readable.from(web)) as AsyncIterable<Out>)
        throughWeb.push(item)
      expect(stage.content(throughWeb)).toEqual(expected)

      if (stage.input) {
        const pair = Duplex.toWeb(stage.make([]).toNodeDuplex())
        const writing = (Readable.toWeb(Readable.from(stage.input([]))) as ReadableStream).pipeTo(
          pair.writable as never,
        )
        const throughPair: Out[] = []
        for await (const item of pair.readable as AsyncIterable<Out>) throughPair.push(item)
        await writing
        expect(stage.content(throughPair)).toEqual(expected)

        const composed = compose(new PassThrough({ objectMode: true }), stage.make([]))
        Readable.from(stage.input([])).pipe(composed)
        const throughComposed: Out[] = []
        const reading = (async () => {
          for await (const item of composed as AsyncIterable<Out>) throughComposed.push(item)
        })()
        expect(await endOf(reading)).toBe(stage.endsEarly ? 'ERR_STREAM_PREMATURE_CLOSE' : 'end')
        if (!stage.endsEarly) expect(stage.content(throughComposed)).toEqual(expected)
      }

      const built = stage.input
        ? pipeline<In>(stage.input([])).to(stage.make([]))
        : pipeline<Out>(stage.make([]))
      const items: Out[] = []
      for await (const item of built.batches()) items.push(item)
      expect(stage.content(items)).toEqual(expected)
    })

    if (stage.input) {
      const { input } = stage
      test('8: whoever makes the input may fill its memory again when the next item is asked for', async () => {
        const expected = stage.content(await run())
        const later = (items: AsyncIterable<In>) => refilling(items)
        const ways: ((items: In[]) => Pipeline<In>)[] = [
          items => pipeline<In>(refilling(items)),
          items => pipeline<In>(new RefillingSource(items)),
          items => pipeline<In>(items).to(later),
          items => pipeline<In>(items).to(new RefillingStage<In>()),
          items =>
            pipeline<In>(refilling(items)).to(async function* same(given) {
              yield* given
            }),
          items => pipeline<In>(refilling(items)).to(later),
          items => pipeline<In>(refilling(items)).tap(tick),
          items => pipeline<In>(pipeline<In>(refilling(items)) as never),
        ]
        for (const way of ways)
          for (const cuts of [[], [40, 300, 301, 900, 2500, 7000, 7001]]) {
            const outputs: Out[] = []
            for await (const item of way(input(cuts)).to(stage.make(cuts)).batches()) {
              outputs.push(item instanceof Uint8Array ? (Buffer.from(item) as never) : item)
              await tick()
            }
            expect(stage.content(outputs)).toEqual(expected)
          }
      })
    }

    if (stage.kept) {
      const { of, pinned } = stage.kept
      test('7: what the documentation lets a reader keep does not hold the memory of the batch', async () => {
        const kept: unknown[] = []
        const batches: WeakRef<object>[] = []
        await (async () => {
          for (const output of await run()) {
            kept.push(of(output))
            batches.push(new WeakRef(pinned(output)))
          }
        })()
        for (let n = 0; n < 10 && batches.some(batch => batch.deref() !== undefined); n++) {
          await tick()
          global.gc!()
        }
        expect(batches.length).toBeGreaterThan(0)
        expect(batches.filter(batch => batch.deref() !== undefined)).toEqual([])
        expect(kept.length).toBe(batches.length)
      })
    }
  })
}

function* endlessly<T>(items: Iterable<T>): Generator<T, void, void> {
  yield* items
}

/**
 * Returns the resources that the baseline does not have. A resource of the baseline that ended
 * meanwhile belonged to the test runner, such as a timer.
 */
function beyond(baseline: readonly string[]): string[] {
  const before = [...baseline]
  return process.getActiveResourcesInfo().filter(resource => {
    const at = before.indexOf(resource)
    if (at >= 0) before.splice(at, 1)
    return at < 0
  })
}
