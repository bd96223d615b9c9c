// Each way in which a foreign stream can end by itself, at each item.

import { Transform, type TransformCallback, type TransformOptions } from 'node:stream'
import { describe, expect, test } from 'vitest'
import { NodePair } from '../../../src/engine/pipeline/pairs'
import { FeedError, pipeline } from '../../../src/index'

const LAST = 3
const boom = () => new RangeError('boom')
const turn = () => new Promise<void>(resolve => setImmediate(resolve))

/** What the run gives: the items, or the code of its error. */
async function outcomeOf(step: () => unknown, slow: boolean): Promise<unknown> {
  async function* items() {
    for (let n = 1; n <= LAST; n++) {
      if (slow) await turn()
      yield n
    }
  }
  try {
    return await pipeline(items)
      .to<number>(step as () => Transform)
      .toArray()
  } catch (error) {
    return FeedError.is(error) && [error.code, (error.cause as Error | undefined)?.message]
  }
}

type End = 'ends' | 'fails' | 'is destroyed' | 'is destroyed with an error'
const given = (at: number, withOutput: boolean) =>
  Array.from({ length: at - 1 }, (_, n) => n + 1).concat(withOutput ? [at] : [])
const expectedOf = (end: End, at: number, withOutput: boolean) =>
  end === 'ends'
    ? given(at, withOutput)
    : end === 'is destroyed'
      ? ['STAGE_DESTROYED', undefined]
      : ['STAGE_FAILED', 'boom']

function nodeStream(end: End, at: number, withOutput: boolean, late: boolean, more: object) {
  const doEnd = (stream: Transform, done: TransformCallback) => {
    if (end === 'is destroyed') return void stream.destroy()
    if (end === 'is destroyed with an error') return void stream.destroy(boom())
    if (end === 'ends') stream.push(null)
    done(end === 'fails' ? boom() : null)
  }
  return new Transform({
    objectMode: true,
    ...more,
    transform(item: number, _encoding, done) {
      if (item < at || withOutput) this.push(item)
      if (item < at) return done()
      if (late) setImmediate(() => doEnd(this, done))
      else doEnd(this, done)
    },
  })
}

const options: TransformOptions[] = [{}, { emitClose: false }, { autoDestroy: false }]
const ends: End[] = ['ends', 'fails', 'is destroyed', 'is destroyed with an error']

describe.each(options)('fault 119: a Transform of Node with %o', more => {
  test.each(ends)('that %s by itself, at each item', async end => {
    for (let at = 1; at <= LAST; at++)
      for (const withOutput of [true, false])
        for (const late of [true, false])
          for (const slow of [true, false])
            expect(
              await outcomeOf(() => nodeStream(end, at, withOutput, late, more), slow),
              `${at} ${withOutput} ${late} ${slow}`,
            ).toEqual(expectedOf(end, at, withOutput))
  })
})

test('fault 119: a Transform that has ended is given no item before its end is told', async () => {
  const pair = new NodePair<number, number>('t', nodeStream('ends', 1, true, false, {}))
  await pair.write(1)
  await turn()
  expect(await pair.read()).toEqual({ done: false, value: 1 })
  pair.write(2)
  expect(await pair.read()).toEqual({ done: true, value: undefined })
  pair.close()
})

function webStream(end: End, at: number, withOutput: boolean, late: boolean) {
  return new TransformStream<number, number>({
    async transform(item, controller) {
      if (item < at || withOutput) controller.enqueue(item)
      if (item < at) return
      if (late) await turn()
      if (end === 'ends') controller.terminate()
      else if (end === 'is destroyed with an error') controller.error(boom())
      else throw boom()
    },
  })
}

test.each<End>(['ends', 'fails', 'is destroyed with an error'])(
  'fault 119: a web TransformStream that %s by itself, at each item',
  async end => {
    for (let at = 1; at <= LAST; at++)
      for (const withOutput of [true, false])
        for (const late of [true, false])
          for (const slow of [true, false])
            expect(
              await outcomeOf(() => webStream(end, at, withOutput, late), slow),
              `${at} ${withOutput} ${late} ${slow}`,
            ).toEqual(expectedOf(end, at, withOutput))
  },
)

test('fault 119: a web stream whose writable side alone fails never hangs', async () => {
  for (const call of ['write', 'close']) {
    const stream = {
      readable: new ReadableStream(),
      writable: new WritableStream({ [call]: () => Promise.reject(boom()) }),
    }
    expect(await outcomeOf(() => stream, false)).toEqual(['STAGE_FAILED', 'boom'])
  }
})
