// The rows of a batch as lines of JSON: what JSON.stringify makes of each row, but JSON cells as their
// texts. A batch with another cell that is not plainly good is left to json-cell.ts.

import type { ColumnSpec } from '../../schema/column-spec'
import { exactCell, exactJson, exactObject, JsonCell, oneLine } from '../json-cell'
import { projectionsOf } from '../projection'
import type { Row } from '../row'
import type { RowBatch } from '../row-batch'
import type { TextBuffer } from '../text-buffer'
import type { BoundHeader } from '../tsv/header'
import { BatchText, JSON_LINES, partsOf } from './batch-text'

export class BatchJson {
  readonly #known = new WeakMap<BoundHeader, BatchText | 'none'>()

  /**
   * Writes a line for each row in view. Returns false, and writes nothing, where a cell may be bad
   * or of a kind that the module does not write.
   */
  write(batch: RowBatch, out: TextBuffer): boolean {
    const { header } = batch
    let lines = this.#known.get(header)
    if (lines === undefined) this.#known.set(header, (lines = linesOf(header) ?? 'none'))
    return lines !== 'none' && !batch.hasDecodedCells && lines.write(batch, out)
  }
}

function linesOf(header: BoundHeader): BatchText | undefined {
  const known = jsonParts(header)
  if (known === undefined) return undefined
  return new BatchText(JSON_LINES, known.parts, `${known.rest}}\n`, (row, out) => {
    out.text(`${exactJson(exactObject(row))}\n`)
  })
}

/**
 * Returns the parts of a row's JSON, and what stands behind them before its last brace; undefined
 * where the module does not write a column.
 */
export function jsonParts(header: BoundHeader): ReturnType<typeof partsOf> {
  // JavaScript has an order of properties of its own where names are numbers.
  const names = Object.keys(projectionsOf(header).all.ofValues([]))
  const beforeOf = (name: string, n: number) => `${n === 0 ? '{' : ','}${JSON.stringify(name)}:`
  const writeOf = (name: string, { type }: ColumnSpec) =>
    type === 'json' ? (row: Row, out: TextBuffer) => writeJson(row, name, out) : undefined
  const known = partsOf(JSON_LINES, header, names, beforeOf, JSON.stringify, writeOf)
  return names.length === 0 ? { parts: [], rest: '{' } : known
}

function writeJson(row: Row, name: string, out: TextBuffer): void {
  const cell = exactCell(row, name)
  out.text(cell instanceof JsonCell ? oneLine(cell) : 'null')
}
