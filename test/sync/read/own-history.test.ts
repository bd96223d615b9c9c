// The rows of a feed of one's own at an earlier time, against a naive merge of the files up to it.

import { rmSync } from 'node:fs'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { openState } from '../../../src/sync/read/open-state'
import { SimulatedMachine } from '../simulated-machine'
import { FOLDER } from '../small-run'
import { type NaiveFile, naiveMerge } from '../source/naive-merge'
import { lineOf, SmallFeed, type SmallRow, type Stock, timeOf } from '../source/small-feed'

const row: fc.Arbitrary<SmallRow> = fc.record({
  sku: fc.constantFrom('a', 'b', 'c', 'é', 'd1', 'd2'),
  revision: fc.integer({ min: 1, max: 6 }),
  gone: fc.integer({ min: 0, max: 5 }).map(n => n === 0),
  title: fc.constantFrom('plain', 'with "quotes", and\na line end', ''),
})
/** One file a minute, in the order of time. */
const lists = fc
  .array(
    fc.record({
      kind: fc.constantFrom('full' as const, 'changes' as const, 'changes' as const),
      rows: fc.array(row, { maxLength: 8 }),
    }),
    { minLength: 1, maxLength: 8 },
  )
  .map(files =>
    files.map((file, n): NaiveFile => ({ ...file, minute: 2 * n, id: `${file.kind}-${n}` })),
  )

async function rowsAt(machine: SimulatedMachine, source: Stock, minute: number) {
  const state = await openState(FOLDER, { environment: machine.start() })
  try {
    const past = await state.feed(source).asOf(timeOf(minute), source)
    const lines: string[] = []
    for await (const block of past.rows())
      for (const row of block) {
        const [sku, revision] = [row.get('sku'), Number(row.get('revision'))]
        lines.push(lineOf({ sku, revision, gone: false, title: row.get('title') ?? '' }))
      }
    await past.close()
    return { at: past.at, lines }
  } finally {
    await state.close()
  }
}

describe('the rows at an earlier time', () => {
  test('are those of a naive merge of the files up to it', async () => {
    await fc.assert(
      fc.asyncProperty(lists, fc.integer({ min: 1, max: 4 }), async (files, together) => {
        const machine = new SimulatedMachine(1)
        const feed = new SmallFeed(() => {})
        for (const [n, file] of files.entries()) {
          feed.add(file)
          if ((n + 1) % together === 0 || n === files.length - 1)
            await feed.sync(machine.start(), { keepFileBytes: 1e9 }).summary
        }
        // A run that finds a full file applies none from before it.
        const applied = files.filter(
          (_, n) =>
            !files
              .slice(n + 1, Math.ceil((n + 1) / together) * together)
              .some(({ kind }) => kind === 'full'),
        )
        const first = applied[0]!.minute
        for (let minute = first; minute < 2 * files.length; minute++) {
          const before = applied.filter(file => file.minute <= minute)
          const { at, lines } = await rowsAt(machine, feed.source(), minute)
          expect([minute, lines]).toEqual([minute, naiveMerge(before, true)])
          expect(at).toEqual(timeOf(before.at(-1)!.minute))
        }
        const early = rowsAt(machine, feed.source(), first - 1)
        await expect(early).rejects.toMatchObject({ code: 'STATE_HISTORY_MISSING' })
        rmSync(feed.folder, { recursive: true })
      }),
      { numRuns: 30 },
    )
  })

  test('need the files from a full one on, which a run has to keep', async () => {
    const machine = new SimulatedMachine(1)
    const feed = new SmallFeed()
    const one: SmallRow = { sku: 'a', revision: 1, gone: false, title: '' }
    for (const [minute, kind] of (['full', 'changes', 'full', 'changes'] as const).entries()) {
      feed.add({ kind, minute, rows: [{ ...one, revision: minute }] })
      // The second file is not kept.
      const keepFileBytes = minute === 1 ? 0 : 1e9
      await feed.sync(machine.start(), { keepFileBytes }).summary
    }
    const source = feed.source()
    expect((await rowsAt(machine, source, 0)).lines).toEqual([lineOf({ ...one, revision: 0 })])
    await expect(rowsAt(machine, source, 1)).rejects.toMatchObject({
      code: 'STATE_HISTORY_MISSING',
      message: expect.stringContaining('changes-1-1 is not kept'),
    })
    expect((await rowsAt(machine, source, 3)).lines).toEqual([lineOf({ ...one, revision: 3 })])
    const other = { ...source, name: 'other' }
    const state = await openState(FOLDER, { environment: machine.start() })
    const past = state.feed(source).asOf(timeOf(1), other)
    await expect(past).rejects.toMatchObject({ code: 'OPTION_INVALID' })
    await state.close()
  })
})
