// The rows of a batch as lines of JSON: what JSON.stringify makes of each row. A batch with a cell
// that is not plainly good is left to that.

import { projectionsOf } from '../projection'
import type { RowBatch } from '../row-batch'
import type { TextBuffer } from '../text-buffer'
import type { BoundHeader } from '../tsv/header'
import { BatchText, JSON_LINES, partsOf } from './batch-text'

/** Values that stand behind the cells of a row, in the order of their names. */
export interface ValuesBehind {
  readonly names: readonly string[]
  /** Writes the JSON of the value of the `n`th row. */
  write(name: string, n: number, out: TextBuffer): void
}

export class BatchJson {
  readonly #behind: ValuesBehind
  readonly #known = new WeakMap<BoundHeader, BatchText | 'none'>()

  constructor(behind: ValuesBehind = { names: [], write: () => {} }) {
    this.#behind = behind
  }

  /**
   * Writes a line for each row in view. Returns false, and writes nothing, where a cell may be bad
   * or of a kind that the module does not write, or a column has the name of a value behind.
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
    const { names: behind, write } = this.#behind
    if (behind.some(name => names.includes(name))) return undefined
    const beforeOf = (name: string, n: number) => `${n === 0 ? '{' : ','}${JSON.stringify(name)}:`
    const known = partsOf(JSON_LINES, header, names, beforeOf, JSON.stringify)
    if (known === undefined) return undefined
    const more = behind.map((name, n) => ({
      before: `${n === 0 ? known.rest : ''}${beforeOf(name, names.length + n)}`,
      write: (_row: unknown, out: TextBuffer, at: number) => write(name, at, out),
    }))
    const isEmpty = names.length + behind.length === 0
    const end = `${behind.length === 0 ? known.rest : ''}${isEmpty ? '{' : ''}}\n`
    return new BatchText(JSON_LINES, [...known.parts, ...more], end, (row, out, at) => {
      out.text(JSON.stringify(row).slice(0, -1))
      for (const [n, part] of more.entries()) {
        out.text(beforeOf(behind[n]!, names.length + n))
        part.write(row, out, at)
      }
      out.text('}\n')
    })
  }
}
