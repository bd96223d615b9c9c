// Runs on a simulated machine that are killed at every call, lose power, or meet a failing disk.
// Each test compares the result of the next run with that of an undisturbed run.
// Long: it runs a synchronisation for each call at which the machine may die.

import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { FeedError } from '../../src/engine/errors'
import { type CrashKind, SimulatedMachine, type Trouble } from './simulated-machine'
import { DAY_MS, FOLDER, HOUR_MS, NO_EARLIER_DAYS, type Seen, SmallShop, seenIn } from './small-run'

const START = new Date('2026-03-01T07:00:00Z')
/** `npm run test:crash` takes every call of every scenario; this test takes one in a few. */
const EVERY = process.env.FEEDMILL_CRASH === 'all' ? 1 : 61

interface Result {
  readonly seen: Seen
  readonly files: Map<string, string>
}

interface Scenario {
  readonly name: string
  /** The machine before the run. */
  readonly before: SimulatedMachine
  /** The service at the time of the run. */
  readonly shop: SmallShop
}

/** The service three hours after a bootstrap was made. */
function shopAfter(bootstrapMs: number): SmallShop {
  const world = { seed: 5, items: 24, churn: 30, start: START, hours: 400 }
  const nowMs = bootstrapMs + 4 * HOUR_MS
  const shop = new SmallShop({ world, bootstrapAt: new Date(bootstrapMs) }, nowMs)
  shop.limits = NO_EARLIER_DAYS
  return shop
}

const first = shopAfter(+START + DAY_MS)
const later = shopAfter(+START + 10 * DAY_MS)
afterAll(() => Promise.all([first.close(), later.close()]))

const empty = new SimulatedMachine(0)
const filled = new SimulatedMachine(0)
await first.sync(filled.start()).summary

const scenarios: readonly Scenario[] = [
  { name: 'a first run', before: empty, shop: first },
  { name: 'a run after a gap, with a new bootstrap', before: filled, shop: later },
]

async function runWith(
  { before, shop }: Scenario,
  seed: number,
  trouble?: Trouble,
): Promise<{ machine: SimulatedMachine; error: unknown }> {
  const machine = before.copy(seed)
  const error = await shop.sync(machine.start(trouble)).summary.then(
    () => undefined,
    failure => failure,
  )
  return { machine, error }
}

async function resultOf(machine: SimulatedMachine): Promise<Result> {
  const seen = await seenIn(machine.start(), +START + 30 * DAY_MS)
  return { seen, files: machine.filesUnder(FOLDER) }
}

describe.each(scenarios)('$name', scenario => {
  let whole: Result
  let calls: string[]

  beforeAll(async () => {
    const { machine, error } = await runWith(scenario, 0)
    expect(error).toBeUndefined()
    calls = [...machine.log]
    whole = await resultOf(machine)
  })

  test('it has calls for every kind of crash', () => {
    expect(calls.length).toBeGreaterThan(100)
    expect(
      [...whole.files.keys()].filter(path => path.includes('/spool/') || path.includes('/lock')),
    ).toEqual([])
  })

  async function goOn(machine: SimulatedMachine): Promise<Result> {
    await scenario.shop.sync(machine.start()).summary
    return resultOf(machine)
  }

  async function dieAtEvery(
    kind: CrashKind,
    calls: readonly number[],
    whats: readonly Trouble['what'][],
  ): Promise<void> {
    for (const at of calls) {
      for (const what of whats) {
        const { machine, error } = await runWith(scenario, at, { at, what })
        expect([at, what, error !== undefined]).toEqual([at, what, true])
        machine.crash(kind)
        expect([at, what, await goOn(machine)]).toEqual([at, what, whole])
      }
    }
  }

  const sampled = () => calls.map((_, n) => n + 1).filter(at => at % EVERY === 1 % EVERY)

  test('fault 77: it is killed at a call, and the next run ends with the same state, ledger and files', async () => {
    await dieAtEvery('process', sampled(), ['before', 'within', 'after'])
  }, 900_000)

  test('fault 78: the power fails at a call and unsynced writes are lost or torn, and the next run ends with the same state', async () => {
    await dieAtEvery('power', sampled(), ['before', 'within', 'after'])
  }, 900_000)

  test('fault 82: it is killed after a write to the store that it does not know of, and the next run ends with the same state', async () => {
    const writes = calls.flatMap((call, n) => (call.startsWith('store write') ? [n + 1] : []))
    expect(writes.length).toBeGreaterThan(8)
    await dieAtEvery('process', EVERY === 1 ? writes : writes.filter((_, n) => n % 4 === 0), [
      'after',
    ])
  }, 900_000)

  test.each(['ENOSPC', 'EIO'] as const)(
    'fault 79: %s at a call stops the run with a typed error, and the next run ends with the same state',
    async what => {
      for (const at of sampled()) {
        const { machine, error } = await runWith(scenario, at, { at, what, lasting: at % 2 === 0 })
        const failed = machine.log[at - 1]!
        expect([at, failed, FeedError.is(error) && error.code]).toEqual([at, failed, 'STATE_IO'])
        // A failed write or sync is not repeated: a later success would not prove that the data is
        // on the disk.
        expect(/^(write|sync|store)/.test(failed) ? machine.log.lastIndexOf(failed) : at - 1).toBe(
          at - 1,
        )
        machine.crash('process')
        expect([at, await goOn(machine)]).toEqual([at, whole])
      }
    },
    900_000,
  )
})
