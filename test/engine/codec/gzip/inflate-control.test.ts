import { expect, test } from 'vitest'
import {
  INPUT_OVER,
  InflateControl,
  OUTPUT_CREDITS,
} from '../../../../src/engine/codec/gzip/inflate-control'

const SLOTS = 8
/** The words of the shared memory that are counters: filled, taken, made, released. */
const COUNTERS = [1, 2, 3, 4]

/** Makes both sides over one memory, with counters that begin at `start`. */
function bothSides(start = 0) {
  const host = new InflateControl()
  const words = new Int32Array(host.shared, 0, 8)
  for (const word of COUNTERS) words[word] = start
  return { host, worker: new InflateControl(host.shared) }
}

const waitingBytes = (host: InflateControl) => host.untaken(SLOTS).map(({ bytes }) => bytes)

const record = (n: number) => ({
  from: n * 10,
  end: n * 10 + 7,
  historyBytes: n,
  crc: 0xffff_fff0 + (n % 10),
  usedBytes: 2 ** 40 + n,
})

// The starts are far from any wrap, near the wrap of signed words, and near that of unsigned words.
test.each([0, 0x7fff_fff9, -7])('input and output keep their order, starting from %i', start => {
  const { host, worker } = bothSides(start)
  const filled: number[] = []
  const taken: number[] = []
  for (let round = 0; round < 5; round++) {
    for (let slot = host.freeSlot(SLOTS); slot !== undefined; slot = host.freeSlot(SLOTS)) {
      filled.push(1000 + filled.length)
      host.slotFilled(slot, filled.at(-1)!)
    }
    const waiting = () => filled.slice(taken.length)
    expect([host.freeSlots(SLOTS), waitingBytes(host)]).toEqual([0, waiting()])
    for (let n = 0; n < 3 + round; n++) {
      taken.push(worker.nextInput(SLOTS)!.bytes)
      worker.inputTaken()
    }
    expect([host.freeSlots(SLOTS), waitingBytes(host)]).toEqual([3 + round, waiting()])
  }
  expect(taken).toEqual(filled.slice(0, taken.length))

  let made = 0
  for (let released = 0; released < 39; ) {
    while (made - released < OUTPUT_CREDITS) {
      expect(worker.waitForCredit()).toBe(true)
      worker.outputMade(record(made++))
    }
    for (let n = 0; n < OUTPUT_CREDITS - 1; n++) {
      expect(host.output).toEqual(record(released++))
      host.releaseOutput()
    }
  }
})

test('the host sees one change for each wait, and none from before the wait', () => {
  const { host, worker } = bothSides()
  expect(worker.takeHostWaits()).toBe(false)
  expect(host.hostWaits(() => false)).toBe(true)
  expect([worker.takeHostWaits(), worker.takeHostWaits()]).toEqual([true, false])
  expect(host.hostWaits(() => true)).toBe(false)
  expect(worker.takeHostWaits()).toBe(false)
})

test('input that was written before the end is read, and then the input ends', () => {
  const { host, worker } = bothSides()
  host.slotFilled(0, 5)
  host.finish()
  expect(worker.nextInput(SLOTS)).toEqual({ slot: 0, bytes: 5 })
  worker.inputTaken()
  expect(worker.nextInput(SLOTS)).toBeUndefined()
  expect(host.outcome).toBeUndefined()
  worker.ended(INPUT_OVER, 5, 3)
  expect(host.outcome).toEqual({ result: INPUT_OVER, usedBytes: 5, unusedBits: 3 })
})

test('a worker that is told to stop gets neither input nor credit', () => {
  const { host, worker } = bothSides()
  for (let n = 0; n < OUTPUT_CREDITS; n++) worker.outputMade(record(n))
  host.slotFilled(0, 5)
  host.stop()
  expect([worker.nextInput(SLOTS), worker.waitForCredit(), worker.isStopped]).toEqual([
    undefined,
    false,
    true,
  ])
})
