// Runs on a simulated machine that are killed at every call, lose power, or meet a failing disk.
// Each test compares the result of the next run with that of an undisturbed run.
// Long: it runs a synchronisation for each call at which the machine may die.

import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { FeedError } from '../../src/engine/errors'
import { statePaths } from '../../src/sync/folder/state-paths'
import { type CrashKind, SimulatedMachine, type Trouble } from './simulated-machine'
import {
  DAY_MS,
  FOLDER,
  type Seen,
  SHARES,
  type SmallShop,
  seenIn,
  shopAfterBootstrap,
} from './small-run'

const START = new Date('2026-03-01T07:00:00Z')
const RUNS = statePaths(FOLDER).runsOf({ marketplace: 'MKT_US', categoryId: '220' })
/** `npm run test:crash` takes every call of every scenario; this test takes one in a few. */
const EVERY = process.env.FEEDMILL_CRASH === 'all' ? 1 : 61

interface Result {
  readonly seen: Seen
  /** The files that have to be the same after each run. */
  readonly files: Map<string, string>
}

interface Scenario {
  readonly name: string
  readonly changes: 'files' | 'none'
  /** The machine before the run. */
  readonly before: SimulatedMachine
  /** The service at the time of the run. */
  readonly shop: SmallShop
}

const first = shopAfterBootstrap(START, +START + DAY_MS)
const later = shopAfterBootstrap(START, +START + 10 * DAY_MS)
afterAll(() => Promise.all([first.close(), later.close()]))

const scenarios: Scenario[] = []
// Files become visible together where no changes are recorded, and else one after the other.
for (const changes of ['files', 'none'] as const) {
  const filled = new SimulatedMachine(0)
  await first.sync(filled.start(), { changes }).summary
  scenarios.push(
    { name: 'a first run', changes, before: new SimulatedMachine(0), shop: first },
    { name: 'a run after a gap, with a new bootstrap', changes, before: filled, shop: later },
  )
}

/** Where runs may differ, the runs of a file are saved before the file is whole. */
function optionsOf({ changes }: Scenario) {
  return changes === 'files' ? { changes } : { changes, shares: { ...SHARES, sortBytes: 500 } }
}

async function resultOf(machine: SimulatedMachine, { changes }: Scenario): Promise<Result> {
  const seen = await seenIn(machine.start(), +START + 30 * DAY_MS)
  const files = machine.filesUnder(FOLDER)
  if (changes === 'files') return { seen, files }
  // Files that are there together share a run, so that runs differ. The manifest names them all.
  const manifest = `${RUNS}/manifest.json`
  const named = files.get(manifest)!
  const isNamed = (path: string) => path === manifest || named.includes(path.slice(RUNS.length + 1))
  return { seen, files: new Map([...files].filter(([path]) => !isNamed(path))) }
}

async function runWith(
  scenario: Scenario,
  seed: number,
  trouble?: Trouble,
): Promise<{ machine: SimulatedMachine; error: unknown }> {
  const { before, shop } = scenario
  const machine = before.copy(seed)
  const error = await shop.sync(machine.start(trouble), optionsOf(scenario)).summary.then(
    () => undefined,
    failure => failure,
  )
  return { machine, error }
}

describe.each(scenarios)('$name, with changes: $changes', scenario => {
  const { shop, changes } = scenario
  let whole: Result
  let calls: string[]

  beforeAll(async () => {
    const { machine, error } = await runWith(scenario, 0)
    expect(error).toBeUndefined()
    calls = [...machine.log]
    whole = await resultOf(machine, scenario)
  })

  test('it has calls for every kind of crash', () => {
    expect(calls.length).toBeGreaterThan(100)
    const commits = calls.filter(call => /^rename .*manifest/.test(call))
    const runs = calls.filter(call => /^create .*(-0|merged-[\d-]+)\.run$/.test(call))
    if (changes === 'none') expect(commits.length).toBeGreaterThan(1 + runs.length)
    expect(
      [...whole.files.keys()].filter(path => path.includes('/spool/') || path.includes('/lock')),
    ).toEqual([])
  })

  async function goOn(machine: SimulatedMachine): Promise<Result> {
    await shop.sync(machine.start(), optionsOf(scenario)).summary
    return resultOf(machine, scenario)
  }

  async function dieAtEvery(
    kind: CrashKind,
    calls: readonly number[],
    whats: readonly Trouble['what'][],
  ): Promise<void> {
    for (const at of calls) {
      for (const what of whats) {
        const { machine, error } = await runWith(scenario, at, { at, what })
        expect([at, what, error !== undefined]).toEqual([at, what, machine.calls >= at])
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

  test('fault 82: it is killed after a commit that it does not know of, and the next run ends with the same state', async () => {
    const writes = calls.flatMap((call, n) => (/^rename .*manifest/.test(call) ? [n + 1] : []))
    expect(writes.length).toBeGreaterThan(2)
    await dieAtEvery('process', EVERY === 1 ? writes : writes.filter((_, n) => n % 2 === 0), [
      'after',
    ])
  }, 900_000)

  test.each(['ENOSPC', 'EIO'] as const)(
    'fault 79: %s at a call stops the run with a typed error, and the next run ends with the same state',
    async what => {
      for (const at of sampled()) {
        const { machine, error } = await runWith(scenario, at, { at, what, lasting: at % 2 === 0 })
        const failed = machine.log[at - 1]
        // Files that are there together make fewer calls than one after the other.
        if (failed === undefined) continue
        expect([at, failed, FeedError.is(error) && error.code]).toEqual([at, failed, 'STATE_IO'])
        // A failed write or sync is not repeated: a later success would not prove that the data is
        // on the disk.
        expect(/^(write|sync)/.test(failed) ? machine.log.lastIndexOf(failed) : at - 1).toBe(at - 1)
        machine.crash('process')
        expect([at, await goOn(machine)]).toEqual([at, whole])
      }
    },
    900_000,
  )
})
