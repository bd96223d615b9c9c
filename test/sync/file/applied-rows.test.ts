// Passing over the rows that an earlier run has applied, for any rows that were left out, any cut of
// the file into batches and any number of applied rows.

import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { RowQuarantine } from '../../../src/engine/codec/quarantine/row-quarantine'
import { TsvParser } from '../../../src/engine/codec/tsv/parser'
import { text } from '../../../src/engine/schema/column-kinds'
import { defineSchema } from '../../../src/engine/schema/feed-schema'
import { AppliedRows } from '../../../src/sync/file/applied-rows'

const schema = defineSchema({ name: 'item', columns: { itemId: text(), title: text() } })
const COLUMNS = 'itemId\ttitle\n'
/** The parser gives a good row, leaves an unreadable one out, and gives one that the merge leaves out. */
type Kind = 'good' | 'unreadable' | 'unmerged'
const kinds = fc.array(fc.constantFrom<Kind>('good', 'good', 'unreadable', 'unmerged'), {
  minLength: 1,
  maxLength: 40,
})

const lineOf = (kind: Kind, row: number) =>
  kind === 'unreadable' ? `${row}\n` : `${kind === 'good' ? row : ''}\ttitle\n`

/** Records the numbers of the rows that it takes. */
class TakenRows implements RowQuarantine {
  readonly rows: number[] = []
  take({ position }: Parameters<RowQuarantine['take']>[0]): void {
    this.rows.push(position.row)
  }
  settle(): undefined {}
  async flush(): Promise<void> {}
}

/** Reads the file with so many rows applied, in blocks of `blockBytes`. */
function read(file: readonly Kind[], rowsRead: number, blockBytes: number) {
  const badRows = file.slice(0, rowsRead).filter(kind => kind !== 'good').length
  const applied = new AppliedRows({ rowsRead, badRows })
  const quarantine = new TakenRows()
  const parser = new TsvParser({
    schema,
    batchBytes: 64,
    onBadRow: applied.quarantineOfRest(quarantine),
  })
  const bytes = Buffer.from(COLUMNS + file.map((kind, n) => lineOf(kind, n + 1)).join(''))
  const given: number[] = []
  const take = (batches: Iterable<Parameters<typeof applied.rest>[0]>) => {
    for (const batch of batches)
      for (const row of applied.rest(batch) ?? []) given.push(row.position.row)
  }
  for (let at = 0; at < bytes.length; at += blockBytes)
    take(parser.push(bytes.subarray(at, at + blockBytes)))
  take(parser.end())
  return { given, quarantined: quarantine.rows, unmerged: applied.unmerged }
}

test('the rows behind the applied ones are given, and the bad rows before them are counted again', () => {
  fc.assert(
    fc.property(kinds, fc.nat(40), fc.integer({ min: 1, max: 200 }), (file, some, blockBytes) => {
      const rowsRead = Math.min(some, file.length)
      const { given, quarantined, unmerged } = read(file, rowsRead, blockBytes)
      const rows = file.map((kind, n) => ({ kind, row: n + 1 }))
      const rest = rows.slice(rowsRead)
      const numbers = (of: typeof rows) => of.map(({ row }) => row)
      expect(given).toEqual(numbers(rest.filter(({ kind }) => kind !== 'unreadable')))
      expect(quarantined).toEqual(numbers(rest.filter(({ kind }) => kind === 'unreadable')))
      expect(unmerged).toBe(rows.slice(0, rowsRead).filter(r => r.kind === 'unmerged').length)
    }),
    { numRuns: 150 },
  )
})

test('a file of which nothing was applied is given as it is', () => {
  const applied = new AppliedRows({ rowsRead: 0, badRows: 0 })
  const quarantine = new TakenRows()
  expect(applied.quarantineOfRest(quarantine)).toBe(quarantine)
  const parser = new TsvParser({ schema })
  const [batch] = [...parser.push(Buffer.from(`${COLUMNS}1\ttitle\n`)), ...parser.end()]
  expect(applied.rest(batch!)).toBe(batch)
  expect(applied.unmerged).toBe(0)
})
