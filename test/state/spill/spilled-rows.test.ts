import fc from 'fast-check'
import { expect, test } from 'vitest'
import { BlockCache } from '../../../src/state/runs/block-cache'
import { mergeRuns } from '../../../src/state/runs/merge-runs'
import { keyOf } from '../../../src/state/runs/row-heads'
import { RunTable } from '../../../src/state/runs/run-table'
import { ScratchFolder } from '../../../src/state/spill/scratch-folder'
import { SpilledRows } from '../../../src/state/spill/spilled-rows'
import { anyColumns, batchesIn } from '../../tsv-text'

const rowOf = (text: string) =>
  batchesIn(`x\n${text}\n`, { schema: anyColumns }).map(batch => batch.row(0))[0]!

async function textsOf(rows: SpilledRows): Promise<string[]> {
  const texts: string[] = []
  for await (const parts of mergeRuns(rows.runs, [], false, 'all'))
    for (const { block, from, to } of parts) {
      const lines = await block.lines()
      for (let n = from; n < to; n++)
        texts.push(`${keyOf(block.heads, n)} ${lines.row(n, anyColumns).text('x')}`)
    }
  return texts
}

test('All rows come in the order of their keys and of their arrival, however many runs they were moved to.', async () => {
  const step = fc.record({ key: fc.constantFrom('a', 'b', 'c'), spills: fc.boolean() })
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 60 }), async steps => {
      const folder = new ScratchFolder()
      const rows = new SpilledRows(folder)
      const added: string[] = []
      for (const [n, { key, spills }] of steps.entries()) {
        rows.sorter.addRow(rowOf(`${n}`), key, n)
        added.push(`${key} ${n}`)
        if (spills) await rows.spill(anyColumns)
      }
      const sorted = added.toSorted((a, b) => a.charCodeAt(0) - b.charCodeAt(0))
      expect(await textsOf(rows)).toEqual(sorted)
      const run = await rows.merge(anyColumns, 1)
      const table = new RunTable(anyColumns, [{ run, sequence: 0 }], [], new BlockCache(1), 1)
      const last = ['a', 'b', 'c'].map(key => sorted.findLast(text => text.startsWith(key)))
      const found = await table.findSome(['c', 'b', 'x', 'a'])
      expect(found.map(each => each?.row.text('x' as string))).toEqual(
        [last[2], last[1], undefined, last[0]].map(text => text?.slice(2)),
      )
      await folder.close()
    }),
    { numRuns: 40 },
  )
})

test('More runs of one size than are read at a time are merged, and lose no row.', async () => {
  const folder = new ScratchFolder()
  const rows = new SpilledRows(folder)
  const added: string[] = []
  for (let n = 0; n < 40; n++) {
    for (const key of ['k', `k${n % 7}`]) {
      rows.sorter.addRow(rowOf(`${n}`), key, n)
      added.push(`${key} ${n}`)
    }
    await rows.spill(anyColumns)
  }
  expect(rows.runs.length).toBeLessThan(16)
  const byKey = (text: string) => text.slice(0, text.indexOf(' '))
  expect(await textsOf(rows)).toEqual(
    added.toSorted((a, b) => (byKey(a) < byKey(b) ? -1 : Number(byKey(a) > byKey(b)))),
  )
  await folder.close()
})
