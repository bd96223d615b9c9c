// The rows of a batch as lines of JSON: what JSON.stringify makes of each row. A batch with a cell
// that is not plainly good is left to that.

import { projectionsOf } from '../projection'
import type { RowBatch } from '../row-batch'
import type { TextBuffer } from '../text-buffer'
import type { BoundHeader } from '../tsv/header'
import { BatchText, JSON_LINES, partsOf } from './batch-text'

export class BatchJson {
  readonly #tail: string
  readonly #known = new WeakMap<BoundHeader, BatchText | 'none'>()

  /** @param tail what stands behind the cells of each row */
  constructor(tail = '') {
    this.#tail = tail
  }

  /**
   * Writes a line for each row in view. Returns false, and writes nothing, where a cell may be bad
   * or of a kind that the module does not write.
   */
  write(batch: RowBatch, out: TextBuffer): boolean {
    const { header } = batch
    let lines = this.#known.get(header)
    if (lines === undefined) this.#known.set(header, (lines = this.#linesOf(header) ?? 'none'))
    return lines !== 'none' && !batch.hasDecodedCells && lines.write(batch, out)
  }

  #linesOf(header: BoundHeader): BatchText | undefined {
    // JavaScript has an order of properties of its own where names are numbers.
    const names = Object.keys(projectionsOf(header).all.ofValues([]))
    const beforeOf = (name: string, n: number) => `${n === 0 ? '{' : ','}${JSON.stringify(name)}:`
    const known = partsOf(JSON_LINES, header, names, beforeOf, JSON.stringify)
    if (known === undefined) return undefined
    const tail = `${this.#tail}}\n`
    const end = `${names.length === 0 ? '{' : known.rest}${tail}`
    return new BatchText(JSON_LINES, known.parts, end, (row, out) => {
      out.text(JSON.stringify(row).slice(0, -1) + tail)
    })
  }
}
