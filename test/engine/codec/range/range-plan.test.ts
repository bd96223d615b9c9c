import fc from 'fast-check'
import { expect, test } from 'vitest'
import {
  type PlannedRange,
  RangePlan,
  rangeHeader,
} from '../../../../src/engine/codec/range/range-plan'

const sizes = { chunkBytes: 20, maxRangeBytes: 100, windowBytes: 60 }
const finish = (range: PlannedRange) => {
  range.receive(range.missing.end - range.missing.start)
  range.handOut(range.end - range.handedOffset)
}

test('a range plan requests one range until the total is known, and then ranges up to the window', () => {
  const plan = new RangePlan(sizes)
  const first = plan.next() as PlannedRange
  expect(first.missing).toEqual({ start: 0, end: 20 })
  expect(plan.next()).toBeUndefined()
  plan.learnTotal(75)
  expect([plan.next(), plan.next(), plan.next()].map(range => range?.missing)).toEqual([
    { start: 20, end: 40 },
    { start: 40, end: 60 },
    undefined,
  ])
  finish(first)
  expect(plan.lowestOffset).toBe(20)
  expect(plan.next()?.missing).toEqual({ start: 60, end: 75 })
  expect(plan.next()).toBeUndefined()
  expect(plan.done).toBe(false)
})

test('ranges grow from the first requested byte', () => {
  const mib = 1024 * 1024
  for (const startOffset of [0, 100 * mib]) {
    const plan = new RangePlan({
      chunkBytes: 8 * mib,
      maxRangeBytes: 100 * mib,
      windowBytes: 32 * mib,
      startOffset,
    })
    const ranges = [plan.next() as PlannedRange]
    plan.learnTotal(200 * mib)
    finish(ranges[0]!)
    for (let range = plan.next(); range && ranges.length < 6; range = plan.next()) {
      ranges.push(range)
      finish(range)
    }
    expect(ranges.map(({ start, end }) => (end - start) / mib)).toEqual([1, 1, 2, 4, 8, 8])
    expect(ranges[0]?.start).toBe(startOffset)
  }
})

test('fault 15: a range plan resumes at the exact byte, and from the start after a drop', () => {
  const range = new RangePlan(sizes).next() as PlannedRange
  range.receive(7)
  expect(range.missing).toEqual({ start: 7, end: 20 })
  range.receive(2)
  expect(range.missing).toEqual({ start: 9, end: 20 })
  range.drop()
  expect(range.missing).toEqual({ start: 0, end: 20 })
})

test('fault 35: no range is larger than the service maximum or the window', () => {
  expect(new RangePlan({ ...sizes, maxRangeBytes: 10 }).next()?.end).toBe(10)
  expect(new RangePlan({ ...sizes, windowBytes: 3 }).next()?.end).toBe(3)
})

test('small files, empty files and a later start are planned', () => {
  const small = new RangePlan(sizes)
  const range = small.next() as PlannedRange
  range.receive(5)
  small.learnTotal(5)
  expect(range.complete).toBe(true)
  range.handOut(5)
  expect(small.done).toBe(true)
  const empty = new RangePlan(sizes)
  expect(empty.next()?.complete).toBe(false)
  empty.learnTotal(0)
  expect([empty.done, empty.next()]).toEqual([true, undefined])
  expect(new RangePlan({ ...sizes, startOffset: 33 }).next()?.missing).toEqual({
    start: 33,
    end: 53,
  })
})

test('the window begins with 8 MiB and grows with what is handed out, up to its limit', () => {
  const MIB = 1024 * 1024
  const plan = new RangePlan({
    chunkBytes: 4 * MIB,
    maxRangeBytes: 100 * MIB,
    windowBytes: 16 * MIB,
  })
  const planned: PlannedRange[] = []
  const lastEnd = () => {
    for (let range = plan.next(); range; range = plan.next()) planned.push(range)
    return planned.at(-1)!.end / MIB
  }
  expect(lastEnd()).toBe(1)
  plan.learnTotal(100 * MIB)
  const ends = [lastEnd()]
  for (let n = 0; n < 6; n++) {
    finish(planned[n]!)
    ends.push(lastEnd())
  }
  expect(ends).toEqual([8, 8, 12, 16, 24, 28, 32])
})

test('any order of receiving and handing out covers every byte once, inside the window', () => {
  const size = fc.integer({ min: 1, max: 50 })
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 300 }),
      size,
      size,
      size,
      fc.infiniteStream(fc.nat(1000)),
      (total, chunkBytes, maxRangeBytes, windowBytes, picks) => {
        const plan = new RangePlan({ chunkBytes, maxRangeBytes, windowBytes })
        const pick = () => picks.next().value as number
        const covered = new Uint8Array(total)
        const open: PlannedRange[] = []
        while (!plan.done) {
          for (let range = plan.next(); range; range = plan.next()) {
            expect(range.end).toBeLessThanOrEqual(plan.lowestOffset + windowBytes)
            open.push(range)
          }
          expect(open.length).toBeGreaterThan(0)
          const [range] = open.splice(pick() % open.length, 1) as [PlannedRange]
          plan.learnTotal(total)
          const { start, end } = range.missing
          const step = Math.min(end - start, 1 + (pick() % 20))
          range.receive(step)
          if (!range.complete) {
            open.push(range)
            continue
          }
          for (let at = range.start; at < range.end; at++) covered[at]!++
          range.handOut(range.end - range.handedOffset)
        }
        expect(covered.every(times => times === 1)).toBe(true)
        expect(open.every(range => range.complete)).toBe(true)
      },
    ),
    { numRuns: 100 },
  )
})

test('the header has an inclusive end', () => {
  expect(rangeHeader({ start: 0, end: 10 })).toBe('bytes=0-9')
  expect(rangeHeader({ start: 7, end: 8 })).toBe('bytes=7-7')
})
