// What every engine keeps to, shown on one over a machine that gives each number that often.

import { expect, test } from 'vitest'
import { newCounters } from '../../../src/engine/core/counters'
import { PAUSE, type Pause } from '../../../src/engine/core/steps'
import { FeedError } from '../../../src/engine/errors'
import { engineOf } from '../../../src/engine/push/engine'

function counting() {
  const seen = { made: 0, closed: [] as boolean[] }
  const machine = {
    *push(input: number): Generator<number | Pause> {
      if (input < 0) throw new RangeError('below 0')
      for (let n = 0; n < input; n++) {
        seen.made++
        yield PAUSE
        yield input
      }
    },
    *end(): Generator<number> {
      yield -1
    },
    takesNoMore: () => false,
    close: (hasEnded: boolean) => void seen.closed.push(hasEnded),
  }
  return { seen, engine: engineOf(newCounters('Counting'), machine, () => seen.made) }
}

function codeOf(call: () => unknown): string {
  try {
    call()
  } catch (error) {
    return FeedError.is(error) ? error.code : String(error)
  }
  return 'none'
}

test('gives the outputs of each input and of the end, without the pauses', () => {
  const { engine, seen } = counting()
  expect([[...engine.push(2)], [...engine.push(0)], [...engine.push(1)]]).toEqual([[2, 2], [], [1]])
  expect(engine.facts).toBe(3)
  expect([...engine.end()]).toEqual([-1])
  expect(seen.closed).toEqual([true])
  engine.close()
  expect(seen.closed).toEqual([true])
})

test('makes an output when it is asked for', () => {
  const { engine, seen } = counting()
  const outputs = engine.push(3)
  expect(seen.made).toBe(0)
  outputs.next()
  expect(seen.made).toBe(1)
})

test('refuses a call before the outputs of the last one are used up, and goes on behind them', () => {
  const { engine } = counting()
  const outputs = engine.push(2)
  expect([codeOf(() => engine.push(1)), codeOf(() => engine.end())]).toEqual([
    'STAGE_NOT_ENDED',
    'STAGE_NOT_ENDED',
  ])
  expect([...outputs]).toEqual([2, 2])
  expect([...engine.push(1)]).toEqual([1])
})

test('refuses every call behind the end', () => {
  const { engine } = counting()
  const last = engine.end()
  const codes = [codeOf(() => engine.push(1)), codeOf(() => engine.end())]
  expect([...last]).toEqual([-1])
  codes.push(codeOf(() => engine.push(1)))
  expect(codes).toEqual(Array(3).fill('STAGE_WRITE_AFTER_END'))
})

test('a loop that is left early closes the engine, and so does close', () => {
  const left = counting()
  for (const _ of left.engine.push(2)) break
  const closed = counting()
  closed.engine.close()
  for (const { engine, seen } of [left, closed]) {
    expect(seen.closed).toEqual([false])
    expect([codeOf(() => engine.push(1)), codeOf(() => engine.end())]).toEqual([
      'STAGE_DESTROYED',
      'STAGE_DESTROYED',
    ])
  }
})

test('close ends a loop that goes on', () => {
  const { engine } = counting()
  const outputs: number[] = []
  for (const output of engine.push(3)) {
    outputs.push(output)
    engine.close()
  }
  expect([outputs, codeOf(() => engine.end())]).toEqual([[3], 'STAGE_DESTROYED'])
})

test('throws a failure, closes itself, and throws the same failure from then on', () => {
  const { engine, seen } = counting()
  const errors = [-1, 1].map(input => {
    try {
      return [...engine.push(input)]
    } catch (error) {
      return error
    }
  })
  expect(errors[0]).toMatchObject({ code: 'STAGE_FAILED', context: { stage: 'Counting' } })
  expect(errors[1]).toBe(errors[0])
  expect(seen.closed).toEqual([false])
})

test('a loop over the end of an engine that is closed meanwhile throws, because rows are lost', () => {
  const { engine, seen } = counting()
  engine.push(0).next()
  const outputs = engine.end()
  outputs.next()
  engine.close()
  for (let n = 0; n < 2; n++)
    expect(codeOf(() => [...(n === 0 ? outputs : engine.end())])).toBe('STAGE_DESTROYED')
  expect(seen.closed).toEqual([false])
})

test('an engine that is closed behind its end has ended well', () => {
  const { engine } = counting()
  expect([...engine.end()]).toEqual([-1])
  engine.close()
  expect(codeOf(() => engine.end())).toBe('STAGE_WRITE_AFTER_END')
})
