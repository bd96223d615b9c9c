// A backup or a copy that has mixed files of two days, tables or categories: what a reader sees is the
// state of the manifest that is in place, or the state is called corrupt.

import fc from 'fast-check'
import { expect, test } from 'vitest'
import { FeedError } from '../../../src/engine/errors'
import { openState } from '../../../src/sync/read/open-state'
import { SimulatedMachine } from '../simulated-machine'
import { FOLDER, HOUR_MS, seenIn, shopAfterBootstrap } from '../small-run'
import { SmallFeed, schema } from '../source/small-feed'

/** What a reader sees of each category, by the path of its manifest. */
type Seen = ReadonlyMap<string, string>

interface World {
  readonly machine: SimulatedMachine
  readonly seen: (machine: SimulatedMachine) => Promise<Seen>
  /** The runs and manifests of all times. */
  readonly parts: Map<string, string>[]
  /** What was seen of each category under each manifest that it had. */
  readonly known: Map<string, string>
}

const keyOf = (path: string, manifest: string | undefined) => `${path}\n${manifest}`

async function remember({ machine, seen, parts, known }: World): Promise<void> {
  const files = machine.filesUnder(FOLDER)
  parts.push(
    new Map([...files].filter(([path]) => /\.run$|manifest\.json$|ledger\.ndjson$/.test(path))),
  )
  for (const [path, text] of await seen(machine)) known.set(keyOf(path, files.get(path)), text)
}

/** Two feeds of one's own in one folder. */
async function ownWorld(): Promise<World> {
  const machine = new SimulatedMachine(0)
  const feeds = ['stock', 'other'].map(name => ({ name, feed: new SmallFeed() }))
  const seen = async (from: SimulatedMachine) => {
    const state = await openState(FOLDER, { environment: from.start() })
    try {
      const found = new Map<string, string>()
      for (const { name } of feeds) {
        const texts: string[] = []
        for await (const block of state.feed({ name, schema }).rows())
          texts.push(...block.map(row => JSON.stringify([row.toStrings(), row.position])))
        found.set(`${FOLDER}/runs/own.${name}/manifest.json`, texts.join('\n'))
      }
      return found
    } finally {
      await state.close()
    }
  }
  const world = { machine, seen, parts: [], known: new Map() }
  for (let minute = 0; minute < 6; minute++) {
    for (const { name, feed } of feeds) {
      const rows = Array.from({ length: 12 }, (_, n) => ({
        sku: `s${n}`,
        revision: minute,
        gone: (n + minute) % 5 === 0,
        title: `${name} ${minute} ${n}`,
      }))
      feed.add({ kind: minute % 3 === 0 ? 'full' : 'changes', minute, rows })
      await feed.sync(machine.start(), { source: feed.source({ name }) }).summary
    }
    await remember(world)
  }
  return world
}

/** The tables of a category of the service. */
async function serviceWorld(): Promise<World> {
  const machine = new SimulatedMachine(0)
  const start = new Date('2026-03-01T00:00:00Z')
  const shop = shopAfterBootstrap(start, start.getTime() + 24 * HOUR_MS)
  const seen = async (from: SimulatedMachine) => {
    const { items, groups } = await seenIn(from.start(), shop.nowMs)
    const path = `${FOLDER}/runs/MKT_US.220/manifest.json`
    return new Map([[path, JSON.stringify([items, groups])]])
  }
  const world = { machine, seen, parts: [], known: new Map() }
  for (let day = 0; day < 3; day++) {
    await shop.sync(machine.start()).summary
    await remember(world)
    shop.nowMs += 13 * HOUR_MS
  }
  await shop.close()
  return world
}

test.each([
  ['feeds of one’s own', ownWorld],
  ['the tables of a category', serviceWorld],
])(
  'fault 144: %s with a file of another day, table or category in place of one',
  async (_, made) => {
    const { machine, seen, parts, known } = await made()
    const now = parts.at(-1)!
    const sources = parts.flatMap((each, time) => [...each.keys()].map(path => ({ time, path })))
    const outcomes = { same: 0, corrupt: 0 }
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(...now.keys()),
        fc.constantFrom(...sources),
        async (path, from) => {
          const damaged = machine.copy(0)
          const source = parts[from.time]!.get(from.path)!
          damaged.damage(path, () => Buffer.from(source, 'latin1'))
          const files = damaged.filesUnder(FOLDER)
          try {
            for (const [manifest, text] of await seen(damaged))
              expect(text === known.get(keyOf(manifest, files.get(manifest)))).toBe(true)
            outcomes.same++
          } catch (error) {
            if (!FeedError.is(error)) throw error
            expect(error.code).toBe('STATE_CORRUPT')
            outcomes.corrupt++
          }
        },
      ),
      { numRuns: 250 },
    )
    expect(outcomes.corrupt).toBeGreaterThan(100)
  },
  120_000,
)
