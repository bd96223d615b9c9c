// The rounds of `feedmill verify` over feedmill's own `sync`: every fault alone, and all of them
// together. One run, which fails where a file failed, has to reach the truth in each round.
// Long: each round of faults is a whole synchronisation.

import { expect, test } from 'vitest'
import { compareOutput } from '../../../src/cli/verify/compare-output'
import { type Round, roundsOf } from '../../../src/cli/verify/fault-rounds'
import { readColumns } from '../../../src/cli/verify/output-columns'
import { roundService } from '../../../src/cli/verify/round-service'
import { createFeedService, defineProfile } from '../../../src/service'
import { openState, sync } from '../../../src/sync'
import { SimulatedMachine } from '../../sync/simulated-machine'

const MARKETPLACE = 'MKT_US'
const CATEGORIES = ['220', '267']
/** `npm run test:crash` takes every round, over ten worlds. */
const ALL = process.env.FEEDMILL_CRASH === 'all'
const SAMPLE = ['token-expiry', '401', 'together']

const cases = [7, 8, 9, 10, 11, 12, 13, 14, 15, 16]
  .slice(0, ALL ? undefined : 2)
  .flatMap(seed => roundsOf().map(round => ({ name: round.name, seed, round })))
  .filter(({ name }) => ALL || SAMPLE.includes(name))

test.each(cases)('fault 116: sync is right in the round $name (seed $seed)', async of => {
  const { differences, structured } = await synchronised(of.round, of.seed)
  expect(structured).toEqual([])
  const { lost, doubled, stale, kept, unknown, wrongCells } = differences
  expect([lost, doubled, stale, kept, unknown, wrongCells]).toEqual([0, 0, 0, 0, 0, 0])
})

async function synchronised(round: Round, seed: number) {
  const world = { seed, items: 40, marketplace: MARKETPLACE, categories: CATEGORIES }
  const { emulator, url, truth } = await roundService(round, world)
  const { tokenPath, scopeBase, clientId, clientSecret } = emulator
  const profile = defineProfile({ baseUrl: url, tokenUrl: url + tokenPath, scopeBase })
  const service = createFeedService(profile, { clientId, clientSecret }, { now: emulator.now })
  const machine = new SimulatedMachine(seed)
  try {
    const place = { folder: '/state', environment: machine.start() }
    const options = { service, marketplace: MARKETPLACE, categories: CATEGORIES, ...place }
    const waits = { retry: { backoffBaseMs: 1, backoffCapMs: 2, retryAfterCapMs: 2 } }
    await sync({ ...options, retry: { patienceMs: 500, backoffBaseMs: 1 }, ranges: waits }).summary
    const columns = await readColumns(itemsOf(machine), truth.columns, {
      rename: new Map(),
      ignore: [],
    })
    const differences = await compareOutput(itemsOf(machine), columns, truth)
    return { differences, structured: columns.structured }
  } finally {
    await service.close()
    await emulator.close()
  }
}

async function* itemsOf(machine: SimulatedMachine) {
  const state = await openState('/state', { environment: machine.start() })
  try {
    for (const category of state.categories)
      for await (const block of category.items())
        for (const { row } of block) yield JSON.parse(JSON.stringify(row.toObject()))
  } finally {
    await state.close()
  }
}
