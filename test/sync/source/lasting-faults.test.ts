// Faults that waiting does not mend are not waited for: a run ends with the fault at once, and asks
// no more than once again.

import { chmodSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { FeedError } from '../../../src/engine/errors'
import type { SyncEvent } from '../../../src/sync/run/sync-events'
import { folderFiles } from '../../../src/sync/source/folder-files'
import { SimulatedMachine } from '../simulated-machine'
import { SmallFeed, type Stock, timeOf } from './small-feed'

/** Returns the errors of a run from the outermost in, and the waits that it has made. */
async function failing(feed: SmallFeed, source: Partial<Stock>) {
  const waits: SyncEvent[] = []
  const run = feed.sync(new SimulatedMachine(0).start(), {
    source: feed.source(source),
    retry: { patienceMs: 60_000, backoffBaseMs: 0, backoffCapMs: 0 },
  })
  const listen = async () => {
    for await (const event of run) if (event.type === 'retry') waits.push(event)
  }
  const failure = await listen().catch((error: unknown) => error)
  const codes: string[] = []
  const told: string[] = []
  for (let error = failure; FeedError.is(error); error = error.cause as FeedError) {
    codes.push(error.code)
    told.push(error.message)
  }
  return { waits: waits.length, codes, told: told.join('\n') }
}

test.each([
  ['without the key', 'title,gone,revision\none,false,1\n'],
  ['without a version', 'title,gone,sku\none,false,a\n'],
  ['whose heading repeats the key', 'sku,sku,gone,revision\na,a,false,1\n'],
])('fault 149: a file %s is asked for once again, and not waited for', async (_, text) => {
  const feed = new SmallFeed()
  const { from } = feed.add({ kind: 'full', minute: 1, rows: [] }, Buffer.from(text))
  const { waits, codes, told } = await failing(feed, {})
  expect(codes).toContain('SYNC_FILE_FAILED')
  expect(waits).toBeLessThanOrEqual(1)
  // The file has the name that the caller gave it, and none in the terms of the service.
  expect(told.split('\n')[0]).toContain(`${from} could not be fetched`)
  expect(told).not.toMatch(/own\/|marketplace/)
})

test('fault 149: a folder that is not there, or that is a file, is told at once', async () => {
  const feed = new SmallFeed()
  const { from } = feed.add({ kind: 'full', minute: 1, rows: [] })
  for (const folder of [join(feed.folder, 'none'), String(from)]) {
    const { waits, codes, told } = await failing(feed, {
      files: folderFiles({ folder, full: '*' }),
    })
    expect([waits, codes]).toEqual([0, ['STAGE_FAILED']])
    expect(told).toMatch(/ENO(?:ENT|TDIR)/)
    expect(told).toContain(folder)
  }
})

test('fault 149: a file that is not there is told at once', async () => {
  const feed = new SmallFeed()
  const from = join(feed.folder, 'none.csv')
  const { waits, told } = await failing(feed, {
    files: [{ id: 'a', from, kind: 'full', time: timeOf(1) }],
  })
  expect(waits).toBe(0)
  expect(told).toContain(from)
})

test.runIf(process.getuid?.() !== 0)(
  'fault 149: a folder without permission is told at once',
  async () => {
    const feed = new SmallFeed()
    const folder = join(feed.folder, 'closed')
    mkdirSync(folder)
    chmodSync(folder, 0)
    const { waits } = await failing(feed, { files: folderFiles({ folder, full: '*' }) })
    expect(waits).toBe(0)
    chmodSync(folder, 0o700)
  },
)
