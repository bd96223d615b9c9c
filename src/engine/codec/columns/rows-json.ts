// Lines of JSON: of the rows of one batch, and of rows of any batches, such as those of a state, each
// of which may have a batch of its own. They are what JSON.stringify makes of each row, with other rows
// as further properties of it.

import type { ColumnSpec } from '../../schema/column-spec'
import type { Columns } from '../../schema/feed-schema'
import { objectWithInvalid } from '../bad-cells'
import { exactCell, exactJson, exactObject, JsonCell, oneLine } from '../json-cell'
import { ReusedMemory } from '../memory'
import { projectionsOf } from '../projection'
import type { Row, RowBatch } from '../row-batch'
import type { TextBuffer } from '../text-buffer'
import type { BoundHeader } from '../tsv/header'
import { BatchText, JSON_LINES, layoutOf, partsOf, type TextSource } from './batch-text'
import {
  type ColumnsCore,
  columnsCoreWith,
  linePart,
  type RowLayout,
  type RowPlan,
  type TextColumn,
} from './columns-core'
import { oneBatch } from './one-batch'

/** Lines of which each is written on its own where one cannot be written with others. */
const FEW_LINES = 16
/** Headers that are compared with a new one. */
const MOST_HEADERS = 16

/** The rows of lines; null where a line has `null`. */
export type RowsOfLines = readonly (Row<Columns> | null)[]

/** How the rows under a header are written. */
interface HeaderText {
  readonly header: BoundHeader
  readonly layout: RowLayout
  readonly sources: readonly TextSource[]
}

/** Rows of some lines that become one batch. */
interface Together {
  readonly text: HeaderText
  readonly rows: Row<Columns>[]
}

/** Writes lines, and keeps what it knows of the headers of their rows. */
export class RowsJson {
  readonly #properties: readonly string[]
  /** For the rows of the lines, and for those of each property. */
  readonly #parts: readonly PartText[]
  readonly #nulls: readonly RowPlan[]
  readonly #memory = new ReusedMemory()

  /** @param properties the further properties of the row's object, in place of columns of these names */
  constructor(properties: readonly string[] = []) {
    this.#properties = properties
    const befores = ['', ...properties.map(name => `,${JSON.stringify(name)}:`)]
    const ends = befores.map((_, n) => (n < properties.length ? '' : END))
    this.#parts = befores.map((before, n) =>
      n === 0 ? new PartText(before, ends[n]!, properties) : new PartText(before, `}${ends[n]}`),
    )
    this.#nulls = befores.map((before, n) => ({
      layout: layoutOf(JSON_LINES, [], Buffer.from(`${before}null${ends[n]}`)),
      columns: [],
    }))
  }

  /**
   * Writes the JSON of {@link objectWithInvalid} of each row with its properties, and a line end.
   * @param properties for each property the row of each line
   */
  write(rows: readonly Row<Columns>[], properties: readonly RowsOfLines[], out: TextBuffer): void {
    this.#write([rows, ...properties], 0, rows.length, out)
  }

  #write(parts: readonly RowsOfLines[], from: number, to: number, out: TextBuffer): void {
    if (from === to || this.#writeTogether(parts, from, to, out)) return
    if (to - from <= FEW_LINES) {
      for (let n = from; n < to; n++) this.#writeAlone(parts, n, out)
      return
    }
    // One row with a bad cell does not make all others slow.
    const middle = (from + to) >> 1
    this.#write(parts, from, middle, out)
    this.#write(parts, middle, to, out)
  }

  /** Returns false, and writes nothing, where a row cannot be written by the module. */
  #writeTogether(
    parts: readonly RowsOfLines[],
    from: number,
    to: number,
    out: TextBuffer,
  ): boolean {
    const lines = new Uint32Array(parts.length * (to - from))
    const all: Together[] = []
    for (let part = 0; part < parts.length; part++) {
      const rows = parts[part]!
      let batch: RowBatch | undefined
      let header: BoundHeader | undefined
      let together: Together | undefined
      let plan = 0
      for (let n = from, at = part; n < to; n++, at += parts.length) {
        const row = rows[n]!
        if (row === null) {
          lines[at] = linePart(part, 0)
          continue
        }
        if (row.batch !== batch) {
          batch = row.batch
          if (batch.hasDecodedCells) return false
          if (batch.header !== header) {
            header = batch.header
            const text = this.#parts[part]!.of(header)
            if (text === undefined) return false
            let number = all.findIndex(each => each.text === text)
            if (number < 0) number = all.push({ text, rows: [] }) - 1
            together = all[number]!
            plan = this.#nulls.length + number
          }
        }
        const places = together!.rows
        if (places.at(-1) !== row) places.push(row)
        lines[at] = linePart(plan, places.length - 1)
      }
    }
    const core = this.#decode(all, lines)
    if (core === undefined) return false
    for (let n = 0; n < to - from; ) {
      const { text, count } = core.lines(n, to - from, parts.length)
      out.raw(text)
      n += count
      if (n < to - from && count === 0) this.#writeAlone(parts, from + n++, out)
    }
    return true
  }

  /** Decodes all rows. Returns undefined where there is a bad cell, or too little room. */
  #decode(all: readonly Together[], lines: Uint32Array): ColumnsCore | undefined {
    const plans = [...this.#nulls]
    let core: ColumnsCore | undefined
    for (const { text, rows } of all) {
      this.#memory.clear()
      const batch = oneBatch(rows, text.header, this.#memory)
      core = columnsCoreWith(batch, undefined, core !== undefined)
      if (core === undefined) return undefined
      const columns: TextColumn[] = []
      for (const { kind, kernel, at } of text.sources) {
        const node = core.decode(kernel, at)
        if (node === undefined) return undefined
        columns.push({ kind, node })
      }
      plans.push({ layout: text.layout, columns })
    }
    return core?.plan(plans) && core.compose(lines) ? core : undefined
  }

  #writeAlone(parts: readonly RowsOfLines[], n: number, out: TextBuffer): void {
    const [object, ...own] = parts.map(rows => rows[n] && objectWithInvalid(rows[n]!, true))
    const properties = this.#properties.map((name, at) => [
      name,
      own[at] && new JsonCell(exactJson(own[at])),
    ])
    out.text(`${exactJson({ ...object, ...Object.fromEntries(properties) })}\n`)
  }
}

/** How the rows of one part of a line are written. */
class PartText {
  readonly #before: string
  readonly #end: string
  readonly #replaced: readonly string[]
  readonly #known = new WeakMap<BoundHeader, HeaderText | 'none'>()
  #texts: HeaderText[] = []

  /** @param replaced the names of columns that the lines have something else for */
  constructor(before: string, end: string, replaced: readonly string[] = []) {
    this.#before = before
    this.#end = end
    this.#replaced = replaced
  }

  /** Returns what headers with the same JSON have in common; undefined where the host writes it. */
  of(header: BoundHeader): HeaderText | undefined {
    let text = this.#known.get(header)
    if (text === undefined) {
      text = this.#texts.find(each => isAlike(each.header, header)) ?? this.#newText(header)
      this.#known.set(header, text ?? 'none')
    }
    return text === 'none' ? undefined : text
  }

  #newText(header: BoundHeader): HeaderText | 'none' {
    const known = jsonParts(header)
    const isReplaced = this.#replaced.some(name => header.indexes.get(name) !== undefined)
    const parts = known?.parts ?? []
    const isHosts = parts.some(({ source }) => source === undefined)
    if (known === undefined || isReplaced || isHosts) return 'none'
    const { rest } = known
    const befores = parts.map(({ before }, n) =>
      Buffer.from(n === 0 ? this.#before + before : before),
    )
    const end = `${parts.length === 0 ? this.#before : ''}${rest}${this.#end}`
    const layout = layoutOf(JSON_LINES, befores, Buffer.from(end))
    const text = { header, layout, sources: parts.map(({ source }) => source!) }
    this.#texts = [text, ...this.#texts.slice(0, MOST_HEADERS - 1)]
    return text
  }
}

/** Tells whether rows have the same JSON under two headers, which may spell columns differently. */
function isAlike(a: BoundHeader, b: BoundHeader): boolean {
  return (
    a.schema === b.schema &&
    a.columns.length === b.columns.length &&
    a.columns.every(({ name }, n) => name === b.columns[n]!.name) &&
    JSON.stringify(a.cells) === JSON.stringify(b.cells)
  )
}

const END = '}\n'

// The rows of one batch as lines of JSON: what JSON.stringify makes of each row, but JSON cells as their
// texts. A batch with another cell that is not plainly good is left to json-cell.ts.

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
function jsonParts(header: BoundHeader): ReturnType<typeof partsOf> {
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
