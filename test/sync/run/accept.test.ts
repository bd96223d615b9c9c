// The option `accept`: a function of the caller decides before a file is visible, whatever the target is.

import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { duckdbTarget } from '../../../src/integrations/duckdb'
import { openState } from '../../../src/sync/read/open-state'
import { targetStatus } from '../../../src/sync/read/target-status'
import type { SyncEvent } from '../../../src/sync/run/sync-events'
import type { FeedSyncOptions } from '../../../src/sync/sync-options'
import type { AppliedFile } from '../../../src/sync/target/target'
import { SimulatedMachine } from '../simulated-machine'
import { FOLDER } from '../small-run'
import { lineOf, rowsIn, SmallFeed, type SmallRow, schema } from '../source/small-feed'
import { changedTarget, withRows } from '../target/changed-target'

const rows = (count: number, revision = 1): SmallRow[] =>
  Array.from({ length: count }, (_, n) => ({ sku: `s${n}`, revision, gone: false, title: '' }))
const countOf = (applied: readonly AppliedFile[]) =>
  applied.reduce((sum, { rows: { inserted, deleted } }) => sum + inserted - deleted, 0)
type Accept = NonNullable<FeedSyncOptions['accept']>

async function eventsOf(run: AsyncIterable<SyncEvent>) {
  const events: SyncEvent[] = []
  try {
    for await (const event of run) events.push(event)
  } catch (error) {
    return { events, error }
  }
  return { events, error: undefined }
}

describe.each(['a state folder', 'DuckDB'])('%s', kind => {
  /** A feed, its place, and the ledger there. */
  function placed() {
    const feed = new SmallFeed()
    const machine = new SimulatedMachine(0)
    const target = duckdbTarget(join(feed.folder, 'feed.duckdb'))
    const isFolder = kind === 'a state folder'
    const run = (accept?: Accept) => {
      const options = { source: feed.source(), ...(accept && { accept }) }
      return isFolder
        ? feed.sync(machine.start(), options)
        : feed.sync(machine.start(), { ...options, target, folder: undefined } as never)
    }
    const ledger = async () => {
      if (!isFolder) {
        const { categories } = await targetStatus(target)
        return categories[0]?.files ?? []
      }
      const state = await openState(FOLDER, { environment: machine.start() })
      const { files } = state.feed({ name: 'stock', schema })
      await state.close()
      return files
    }
    return { feed, run, ledger, machine, isFolder }
  }

  test('asks with the entry that its ledger then has, and with those before it', async () => {
    const { feed, run, ledger } = placed()
    feed.add({ kind: 'full', minute: 0, rows: rows(9) })
    feed.add({
      kind: 'changes',
      minute: 1,
      rows: [...rows(4, 2), { ...rows(1, 3)[0]!, gone: true }],
    })
    feed.add({ kind: 'changes', minute: 2, rows: rows(12, 3) })
    const asked = new Map<string, [AppliedFile, number]>()
    await run((entry, applied) => {
      asked.set(JSON.stringify(entry.id), [entry, countOf(applied)])
      return true
    }).summary
    const files = await ledger()
    expect(files.length).toBe(3)
    for (const [n, file] of files.entries()) {
      const [entry, before] = asked.get(JSON.stringify(file.id))!
      expect({ ...entry, ...file }).toEqual(entry)
      expect(before).toBe(countOf(files.slice(0, n)))
    }
    expect(countOf(files)).toBe(12)
  })

  test('fault 184: applies nothing of a file that is refused, and keeps what came before it', async () => {
    const { feed, run, ledger, machine, isFolder } = placed()
    feed.add({ kind: 'full', minute: 0, rows: rows(50) })
    feed.add({ kind: 'changes', minute: 1, rows: rows(60, 2) })
    feed.add({ kind: 'changes', minute: 2, rows: [] })
    feed.add({ kind: 'changes', minute: 3, rows: rows(70, 3) })
    const halved: Accept = async ({ rowsRead }, applied) =>
      applied.length === 0 || (rowsRead ?? 0) > 0 || 'it has no rows'
    const { events, error } = await eventsOf(run(halved))
    expect(error).toMatchObject({
      code: 'SYNC_FILE_REFUSED',
      retryable: false,
      message: expect.stringMatching(/changes-2-2 was refused by accept: it has no rows; nothing/),
      context: { file: expect.stringContaining('changes-2'), reason: 'it has no rows' },
    })
    expect(events.filter(({ type }) => type === 'done').length).toBe(2)
    expect((await ledger()).length).toBe(2)
    if (isFolder) {
      const lines = rows(60, 2).map(lineOf)
      expect(await rowsIn(machine.start())).toEqual(lines.sort())
    }
    const refused = await run(() => false).summary.catch(thrown => thrown)
    expect(refused.message).toContain('it gave false')
    expect((await run().summary).files).toBe(2)
    expect(countOf(await ledger())).toBe(70)
  })

  test.each<[string, Accept, string]>([
    ['throws', () => Promise.reject(new RangeError('no answer')), 'STAGE_FAILED'],
    ['gives a number', () => 1 as never, 'OPTION_INVALID'],
  ])('ends the run where the function %s', async (_, accept, code) => {
    const { feed, run, ledger } = placed()
    feed.add({ kind: 'full', minute: 0, rows: rows(2) })
    await expect(run(accept).summary).rejects.toMatchObject({ code })
    expect((await ledger().catch(() => [])).length).toBe(0)
  })
})

test('a target that does not ask is told', async () => {
  const feed = new SmallFeed()
  feed.add({ kind: 'full', minute: 0, rows: rows(2) })
  const inner = duckdbTarget(join(feed.folder, 'feed.duckdb'))
  const target = changedTarget(inner, file => {
    const changed = withRows(file, () => file.rows())
    return Object.create(changed, { accept: { value: async () => {} } })
  })
  const options = { target, folder: undefined, accept: () => false } as never
  const { summary } = feed.sync(new SimulatedMachine(0).start(), options)
  await expect(summary).rejects.toMatchObject({ code: 'OPTION_INVALID' })
})
