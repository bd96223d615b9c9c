// Lines of JSON: of the rows of one batch, and of rows of any batches, such as those of a state, each
// of which may have a batch of its own. They are what JSON.stringify makes of each row, with other rows
// as further properties of it.

import type { Columns } from '../../schema/feed-schema'
import { objectWithInvalid } from '../bad-cells'
import { exactCell, exactJson, exactObject, JsonCell, oneLine } from '../json-cell'
import { ReusedMemory } from '../memory'
import { bigIntAsText, projectionsOf } from '../projection'
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
    // What is too much for the module may be less in each half.
    const middle = (from + to) >> 1
    this.#write(parts, from, middle, out)
    this.#write(parts, middle, to, out)
  }

  /** Returns false, and writes nothing, where the module does not write the rows. */
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
    const left = new Set<number>()
    const core = this.#decode(all, lines, left)
    if (core === undefined) return false
    const isLeft = (n: number) =>
      lines.subarray(n * parts.length, (n + 1) * parts.length).some(part => left.has(part))
    for (let n = 0; n < to - from; ) {
      let end = left.size === 0 ? to - from : n
      while (end < to - from && !isLeft(end)) end++
      const { text, count } = core.lines(n, end, parts.length)
      out.raw(text)
      n += count
      if (n < to - from && (n === end || count === 0)) this.#writeAlone(parts, from + n++, out)
    }
    return true
  }

  /**
   * Decodes all rows. Returns undefined where there is too little room.
   * @param left gets the parts of lines that have cells which are not plainly good
   */
  #decode(
    all: readonly Together[],
    lines: Uint32Array,
    left: Set<number>,
  ): ColumnsCore | undefined {
    const plans = [...this.#nulls]
    let core: ColumnsCore | undefined
    for (const { text, rows } of all) {
      this.#memory.clear()
      const batch = oneBatch(rows, text.header, this.#memory)
      core = columnsCoreWith(batch, undefined, core !== undefined)
      if (core === undefined) return undefined
      const columns: TextColumn[] = []
      for (const { kind, kernel, at } of text.sources) {
        const column = core.decode(kernel, at)
        if (column === undefined) return undefined
        for (const row of column.left) left.add(linePart(plans.length, row))
        columns.push({ kind, node: column.node })
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
    const { parts, rest } = jsonParts(header)
    const isReplaced = this.#replaced.some(name => header.indexes.get(name) !== undefined)
    const isHosts = parts.some(({ source }) => source === undefined)
    if (isReplaced || isHosts) return 'none'
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
// texts.

/** How rows are written that have values of functions of the caller. */
export interface JsonRules {
  /** Tells whether an object has JSON that loses nothing of it. */
  hasJson(value: object): boolean
  /** Returns the line of the `n`th row of a batch that has a value without JSON, or fails. */
  lineOf(row: Row, n: number): string
}

/** Rows by themselves: the built-in kinds of values have JSON. */
const OWN_RULES: JsonRules = {
  hasJson: () => true,
  lineOf: row => exactJson(exactObject(row)),
}

export class BatchJson {
  readonly #known = new WeakMap<BoundHeader, BatchText>()
  readonly #rules: JsonRules

  constructor(rules = OWN_RULES) {
    this.#rules = rules
  }

  /** Writes a line for each row in view. @throws FeedError CELL_INVALID, and what `lineOf` throws */
  write(batch: RowBatch, out: TextBuffer): void {
    const { header } = batch
    let lines = this.#known.get(header)
    if (lines === undefined) this.#known.set(header, (lines = this.#linesOf(header)))
    lines.write(batch, out)
  }

  #linesOf(header: BoundHeader): BatchText {
    const { parts, rest } = jsonParts(header, this.#rules)
    return new BatchText(JSON_LINES, parts, `${rest}}\n`, (row, out, n) => {
      out.text(`${this.#rules.lineOf(row, n)}\n`)
    })
  }
}

/** Returns the parts of a row's JSON, and what stands behind them before its last brace. */
function jsonParts(header: BoundHeader, rules = OWN_RULES): ReturnType<typeof partsOf> {
  // JavaScript has an order of properties of its own where names are numbers.
  const names = Object.keys(projectionsOf(header).all.ofValues([]))
  const beforeOf = (name: string, n: number) => `${n === 0 ? '{' : ','}${JSON.stringify(name)}:`
  const writeOf = (name: string) => (row: Row, out: TextBuffer) => {
    const json = propertyJson(name, exactCell(row, name), rules)
    if (json !== undefined) out.text(json)
    return json !== undefined
  }
  const known = partsOf(JSON_LINES, header, names, beforeOf, JSON.stringify, writeOf)
  return names.length === 0 ? { parts: [], rest: '{' } : known
}

/** Returns the JSON of a property, if it has some. */
function propertyJson(name: string, value: unknown, { hasJson }: JsonRules): string | undefined {
  if (value === null) return 'null'
  if (value instanceof JsonCell) return oneLine(value)
  if (typeof value === 'object' && value !== null && !hasJson(value)) return undefined
  // A value may have other JSON under another name.
  const json = JSON.stringify({ [name]: value }, bigIntAsText)
  return json === '{}' ? undefined : json.slice(JSON.stringify(name).length + 2, -1)
}
