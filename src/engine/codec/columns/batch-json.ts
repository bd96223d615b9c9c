// The rows of a batch as lines of JSON: what JSON.stringify makes of each row. A batch with a cell
// that is not plainly good is left to that.

import { projectionsOf } from '../projection'
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
    out.text(`${JSON.stringify(row)}\n`)
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
  const known = partsOf(JSON_LINES, header, names, beforeOf, JSON.stringify)
  return names.length === 0 ? { parts: [], rest: '{' } : known
}
