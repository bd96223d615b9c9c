// Cells that are not of their column's type, in a state folder: no command stops at one, and its
// text goes wherever its row goes.
// Long: it synchronises into a folder and two databases.

import fc from 'fast-check'
import { afterAll, describe, expect, test } from 'vitest'
import { itemSnapshotSchema } from '../../src/engine/schema/feed-schemas'
import type { StateChange } from '../../src/sync/folder/change-log'
import { changeLine, debeziumLine } from '../../src/sync/folder/change-log'
import { openState } from '../../src/sync/read/open-state'
import { stateItemObject } from '../../src/sync/read/state-items'
import { replayIntoState } from '../../src/sync/run/replay-into-state'
import type { SyncOptions } from '../../src/sync/sync-options'
import { badCells, rewritten } from '../service/rewritten'
import { SimulatedMachine } from './simulated-machine'
import { FOLDER, HOUR_MS, SmallShop } from './small-run'

const START = Date.parse('2026-03-01T07:00:00Z')
const NOW_MS = START + 6 * HOUR_MS
const CATEGORIES = ['220', '15032']
const TYPED = Object.entries(itemSnapshotSchema.columns).flatMap(([name, { type }]) =>
  type === 'text' || type === 'list' ? [] : [name],
)
const closing: (() => Promise<void>)[] = []
afterAll(async () => {
  for (const close of closing) await close()
})

function shopOf(change: (text: string, url: string) => string): SmallShop {
  const world = { seed: 12, items: 40, churn: 40, start: new Date(START), hours: 60 }
  const emulator = { world: { ...world, categories: CATEGORIES }, bootstrapAt: new Date(START) }
  const shop = new SmallShop(emulator, NOW_MS, { between: rewritten(change) })
  closing.push(() => shop.close())
  return shop
}

/** The items of a category as text, by their identifiers. */
async function itemsIn(machine: SimulatedMachine, categoryId: string): Promise<string[]> {
  const state = await openState(FOLDER, { environment: machine.start() })
  try {
    const items: string[] = []
    for await (const block of state.categories
      .find(each => each.categoryId === categoryId)!
      .items())
      for (const item of block) items.push(JSON.stringify(stateItemObject(item)))
    return items
  } finally {
    await state.close()
  }
}

const only220 = (url: string) => url.includes('category_id=220')

test('fault 105: every kind of run keeps every row, counts the cells, and leaves the other category as it is', async () => {
  const sound = new SimulatedMachine(0)
  await shopOf(text => text).sync(sound.start(), { categories: CATEGORIES }).summary
  await fc.assert(
    fc.asyncProperty(fc.nat(), async seed => {
      const shop = shopOf(badCells(seed, TYPED, only220))
      const lines: string[] = []
      const write = (changes: readonly StateChange[]) =>
        void lines.push(...changes.flatMap(change => [changeLine(change), debeziumLine(change)]))
      const runs: Partial<SyncOptions>[] = [
        { changes: 'none' },
        { changes: 'files', changeRows: 'both' },
        { changes: { write }, changeRows: 'both', quarantine: 'files' },
      ]
      const seen = []
      for (const options of runs) {
        const machine = new SimulatedMachine(0)
        const { failed, badCells: count } = await shop.sync(machine.start(), {
          categories: CATEGORIES,
          ...options,
        }).summary
        expect(failed).toEqual([])
        const again = await shop.sync(machine.start(), { categories: CATEGORIES }).summary
        expect([again.failed, again.files]).toEqual([[], 0])
        expect(await itemsIn(machine, '15032')).toEqual(await itemsIn(sound, '15032'))
        seen.push([count, await itemsIn(machine, '220')])
      }
      expect([seen[0], seen[1]]).toEqual([seen[2], seen[2]])
      expect(seen[0]![0]).toBeGreaterThan(3)
      expect(lines.filter(line => line.includes('"invalid":{')).length).toBeGreaterThan(3)
    }),
    { numRuns: process.env.FEEDMILL_CRASH === 'all' ? 20 : 1 },
  )
}, 60_000)

describe('one bad price', () => {
  const priceOf = (text: string, url: string): string => {
    if (!only220(url) || !/item\?/.test(url)) return text
    const lines = text.split('\n')
    const at = lines[0]!.toLowerCase().split('\t').indexOf('pricevalue')
    const row = lines.findIndex((line, n) => n > 3 && !line.includes('"'))
    lines[row] = lines[row]!.replace(/^.*$/, line => line.split('\t').with(at, '12,50').join('\t'))
    return lines.join('\n')
  }

  test('fault 105: is null, its text is in `invalid`, and a mended quarantine puts the price there', async () => {
    const shop = shopOf(priceOf)
    const machine = new SimulatedMachine(0)
    const run = shop.sync(machine.start(), { quarantine: 'files', until: new Date(START) })
    const done = []
    for await (const event of run) if (event.type === 'done') done.push(event.entry)
    const { firstBadCell } = done.find(({ badCells }) => badCells === 1)!
    const { key } = firstBadCell!
    expect(firstBadCell).toMatchObject({ column: 'priceValue', excerpt: '12,50' })
    const { rowsLeftOut, badCells: count } = await run.summary
    expect([rowsLeftOut, count]).toEqual([0, 1])
    const item = async () =>
      (await itemsIn(machine, '220'))
        .map(line => JSON.parse(line))
        .find(each => each.itemId === key)
    expect(await item()).toMatchObject({ priceValue: null, invalid: { priceValue: '12,50' } })
    const [[path, records]] = [...machine.filesUnder(`${FOLDER}/quarantine`)] as [[string, string]]
    expect(JSON.parse(records.split('\n')[1]!)).toMatchObject({
      row: firstBadCell!.row,
      code: 'CELL_INVALID',
      column: 'priceValue',
    })
    const replayed = () =>
      replayIntoState({ folder: FOLDER, files: [path!], environment: machine.start() })
    expect(await replayed()).toMatchObject({ rowsRead: 1, stillBad: 1 })
    // The new text is smaller than the old one in the order of bytes.
    const file = await machine.start().files.edit(path!)
    const mended = machine.filesUnder(FOLDER).get(path!)!.replace('12,50', '10.50')
    await file.write(0, Buffer.from(mended))
    await file.sync()
    await file.close()
    expect(await replayed()).toMatchObject({ rowsRead: 1, merged: 1 })
    expect(await item()).toMatchObject({ priceValue: '10.50' })
    expect(await item()).not.toHaveProperty('invalid')
  })
})
