// Rows as a reader keeps them who must not keep all of their file: the columns of the schema alone,
// with the hashes of the cells of some of them. What is left out is in no byte of the new batches.

import { createHash } from 'node:crypto'
import type { Columns } from '../schema/feed-schema'
import { OWN_MEMORY } from './memory'
import { RowBatch } from './row-batch'
import { DOCUMENTED_CELLS } from './tsv/cell-rules'
import { type BoundHeader, bindHeader } from './tsv/header'
import { CELL_END, CELL_MARK, newIndex } from './tsv/scan-space'

const LF = 0x0a
const HASH_CHARS = 64

/**
 * Makes a function that returns the rows in view of a batch with the columns of their schema alone.
 * A cell of a hashed column is the SHA-256 of the salt and its text in hexadecimal digits, and an
 * empty one stays empty. Rows keep their positions, which hold the bytes of the batch that was given.
 * @param hashed the names of the columns in the schema
 * @param salt stands before each text that is hashed
 */
export function storedRows(hashed: readonly string[], salt: string) {
  const headers = new WeakMap<BoundHeader, BoundHeader>()
  return <C extends Columns>(batch: RowBatch<C>): RowBatch<C> => {
    const { cells, index, length, file, progress, isUtf8 } = batch
    let header = headers.get(batch.header) as BoundHeader<C> | undefined
    if (header === undefined) headers.set(batch.header, (header = headerOfSchema(batch.header)))
    const kept = batch.header.columns.flatMap(({ name, known }, column) =>
      known ? [{ column, isHashed: hashed.includes(name) }] : [],
    )
    const slots = batch.selection ?? Uint32Array.from({ length }, (_, n) => n)
    const { delimiter } = header.cells ?? DOCUMENTED_CELLS
    const room = kept.length + HASH_CHARS * hashed.length
    const bytes = Buffer.allocUnsafeSlow(batch.byteLength + length * room)
    const to = newIndex(kept.length, length, OWN_MEMORY)
    let at = 0
    let cell = 0
    for (let n = 0; n < length; n++) {
      const slot = slots[n]!
      to.rowStarts[n] = at
      to.rowFlags[n] = index.rowFlags[slot]!
      for (const { column, isHashed } of kept) {
        const end = index.cellEnds[slot * index.columns + column]!
        const text = isHashed ? cells.ownTextOf(slot, column) : ''
        if (text !== '')
          at += bytes.write(createHash('sha256').update(salt).update(text).digest('hex'), at)
        else if (!isHashed)
          at += batch.bytes.copy(bytes, at, cells.cellStart(slot, column), end & CELL_END)
        to.cellEnds[cell++] = isHashed ? at : at | (end & CELL_MARK)
        bytes[at++] = delimiter
      }
      bytes[at - 1] = LF
    }
    const placeOf = (n: number) => batch.positionOf(slots[n]!)
    const rows = { bytes: bytes.subarray(0, at), index: to, rowCount: length, placeOf, isUtf8 }
    return new RowBatch({ header, file, progress, ...rows })
  }
}

/** Returns the header of a file that has no column but those of the schema. */
function headerOfSchema<C extends Columns>({ schema, columns, cells }: BoundHeader<C>) {
  const headings = columns.flatMap(({ heading, known }) => (known ? [heading] : []))
  const header = bindHeader(schema, headings, { row: 0, line: 1, byteOffset: 0 })
  return cells === undefined ? header : { ...header, cells }
}
