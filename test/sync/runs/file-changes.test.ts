// The logs of changes lead from one state of a folder to the next, and have each change once,
// whatever kills the run.
// Long: it kills a synchronisation at many calls.

import { afterAll, describe, expect, test } from 'vitest'
import { openState } from '../../../src/sync/read/open-state'
import { stateItemObject } from '../../../src/sync/read/state-items'
import { SimulatedMachine, type Trouble } from '../simulated-machine'
import { DAY_MS, FOLDER, type SmallShop, shopAfterBootstrap } from '../small-run'

const START = new Date('2026-03-01T07:00:00Z')
/** `npm run test:crash` takes every call; this test takes one in a few. */
const EVERY = process.env.FEEDMILL_CRASH === 'all' ? 1 : 23

const first = shopAfterBootstrap(START, +START + DAY_MS)
const later = shopAfterBootstrap(START, +START + 10 * DAY_MS)
afterAll(() => Promise.all([first.close(), later.close()]))

function synchronise(shop: SmallShop, machine: SimulatedMachine, trouble?: Trouble) {
  const settings = { changes: 'files', changeRows: 'both' } as const
  return shop.sync(machine.start(trouble), settings).summary
}

/** The lines of each log, in the order of their keys and those of one key as they stand. */
function logsOf(machine: SimulatedMachine): [string, string[]][] {
  return [...machine.filesUnder(`${FOLDER}/changes`)].sort().map(([path, text]) => {
    const lines = Buffer.from(text, 'latin1')
      .toString()
      .split('\n')
      .filter(line => line !== '')
    const id = (line: string) => JSON.parse(line).id as string
    return [path, lines.sort((a, b) => Number(id(a) > id(b)) - Number(id(a) < id(b)))]
  })
}

/** The row of each item. */
async function rowsOn(machine: SimulatedMachine): Promise<Map<string, unknown>> {
  const state = await openState(FOLDER, { environment: machine.start() })
  const rows = new Map<string, unknown>()
  for await (const block of state.categories[0]!.items()) {
    for (const item of block) {
      const { priority: _, group: __, ...row } = JSON.parse(JSON.stringify(stateItemObject(item)))
      rows.set(item.itemId, row)
    }
  }
  await state.close()
  return rows
}

describe('the changes of files', () => {
  test('lead from the state before a run to the state after it, with the removals by a bootstrap', async () => {
    const machine = new SimulatedMachine(0)
    await synchronise(first, machine)
    const rows = await rowsOn(machine)
    const known = new Set(machine.filesUnder(`${FOLDER}/changes`).keys())
    await synchronise(later, machine)
    const logs = logsOf(machine).filter(([path]) => !known.has(path))
    const bootstraps = logs.filter(([path]) => path.endsWith('.item.ndjson'))
    expect(bootstraps.flatMap(([, lines]) => lines).join()).toContain('"kind":"deleted"')
    for (const line of logs.flatMap(([, lines]) => lines)) {
      const { part, kind, id, row, before } = JSON.parse(line)
      if (part !== 'item') continue
      expect([line, before]).toEqual([line, rows.get(id) ?? null])
      expect([line, kind]).toEqual([
        line,
        row === null ? 'deleted' : before ? 'updated' : 'inserted',
      ])
      if (row === null) rows.delete(id)
      else rows.set(id, row)
    }
    expect(rows).toEqual(await rowsOn(machine))
    expect(rows.size).toBeGreaterThan(5)
  })

  test('are in the logs once, where a run is killed at any call and repeated', async () => {
    const filled = new SimulatedMachine(0)
    await synchronise(first, filled)
    const undisturbed = filled.copy(0)
    await synchronise(later, undisturbed)
    const whole = logsOf(undisturbed)
    const calls = undisturbed.log.length
    expect(calls).toBeGreaterThan(100)
    for (const kind of ['process', 'power'] as const)
      for (let at = 1; at <= calls; at += EVERY)
        for (const what of ['before', 'within', 'after'] as const) {
          const machine = filled.copy(at)
          await synchronise(later, machine, { at, what }).catch(() => undefined)
          machine.crash(kind)
          await synchronise(later, machine)
          expect([kind, at, what, logsOf(machine)]).toEqual([kind, at, what, whole])
        }
  }, 300_000)
})
