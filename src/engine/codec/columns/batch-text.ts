// The rows of a batch as text, which the WebAssembly module writes from columns. The host makes the
// texts of the cells that are not plainly good and of columns that the module does not know, which
// the module puts in their places, and rows for whose text the module has no room. The module writes
// what the host would.

import type { ColumnSpec } from '../../schema/column-spec'
import { arrowTypeOf, decoderOf, KINDS } from '../kinds/all-kinds'
import type { CellKind } from '../kinds/kind-of-cells'
import type { Row, RowBatch } from '../row-batch'
import { TextBuffer } from '../text-buffer'
import type { BoundHeader } from '../tsv/header'
import type { ArrowType } from './arrow-type'
import {
  type ColumnsCore,
  columnsCoreWith,
  type DecodedColumn,
  type RowForm,
  type RowLayout,
  type TextColumn,
} from './columns-core'
import { type Kernel, kernelOf, type ValueKernel, valueKernel } from './kernel'

/** A notation of rows, and how its cells are written. */
export interface TextForm extends RowForm {
  /** The parameter of the kernels of dates and timestamps: 1 refuses the year 0. */
  readonly timeParameter: number
}

export const JSON_LINES: TextForm = {
  notation: 'JSON',
  nullText: 'null',
  timeParameter: 0,
}
/** The text of PostgreSQL's COPY, where empty text is NULL. Lists are arrays, and pairs are jsonb. */
export const COPY_TEXT: TextForm = {
  notation: 'COPY',
  nullText: '',
  timeParameter: 1,
}

/**
 * CSV, whose numbers and times need neither quotes nor a check for formulas.
 * @param delimiter one of {@link CSV_DELIMITERS}
 * @param isSingle true where an empty cell would make a blank line
 */
export function csvText(delimiter: string, neutralizes: boolean, isSingle: boolean): TextForm {
  return {
    notation: 'CSV',
    nullText: isSingle ? '""' : '',
    timeParameter: 0,
    delimiter,
    neutralizes,
  }
}
/** Bytes that stand in no number and no time. */
export const CSV_DELIMITERS = /^[\t,;|]$/

/** A column of the text. */
export interface TextPart {
  /** What stands before its value. */
  readonly before: string
  /** How the module writes it; undefined for what only the host does. */
  readonly source?: TextSource | undefined
  /**
   * Writes the value of the `n`th row of a batch. Where rows have a writer of their own, false and an
   * error leave the row to it.
   */
  // biome-ignore lint/suspicious/noConfusingVoidType: most parts write every value
  write(row: Row, out: TextBuffer, n: number): boolean | void
}

export interface TextSource {
  /** The number of the column in the file. */
  readonly at: number
  readonly kind: CellKind
  readonly kernel: Kernel
}

/** Returns how the module writes a column of the file; undefined where it does not. */
export function textSource(
  form: TextForm,
  spec: ColumnSpec,
  at: number,
  notNull = spec.notNull === true,
): TextSource | undefined {
  const textOf = (values: ColumnSpec, arrow: ArrowType) => textKernel(form, values, arrow)
  const written = KINDS[spec.type].written?.[form.notation]
  const isByText = spec.type === 'list' || written !== undefined
  const kernel = kernelOf({ ...spec, notNull }, arrowTypeOf(spec), isByText ? textOf : valueKernel)
  if (kernel === undefined) return undefined
  const { type = 'text' } = spec.element ?? {}
  if (spec.type !== 'list' || type === 'text') {
    const kind = written ?? kernel.kind
    return kind === 'JSON_CELL' ? undefined : { at, kind, kernel }
  }
  // PostgreSQL has arrays of other types than text.
  if (written !== undefined) return undefined
  return { at, kind: KINDS[type].isLiteral ? 'LIST_OF_LITERALS' : 'LIST', kernel }
}

/** Returns how the module checks values of a kind whose texts stay as they are. */
function textKernel(form: TextForm, spec: ColumnSpec, arrow: ArrowType): ValueKernel | undefined {
  const kernel = valueKernel(spec, arrow)
  const { type, scale } = spec
  if (kernel === undefined || type === 'text') return kernel
  if (type === 'decimal' && scale === undefined)
    return { ...kernel, kind: 'ANY_DECIMAL', asText: true }
  if (type === 'json') return { ...kernel, parameter: 1 }
  const isTime = type === 'date' || type === 'timestamp'
  return { ...kernel, asText: true, parameter: isTime ? form.timeParameter : kernel.parameter }
}

/**
 * Returns the parts of rows, and the text behind the last one.
 * @param beforeOf returns what stands before the value of a column
 * @param emptyText returns the value of a column that the file lacks
 * @param writeOf returns what writes a cell that the module does not write
 */
export function partsOf(
  form: TextForm,
  { columns, all, indexes }: BoundHeader,
  names: readonly string[],
  beforeOf: (name: string, n: number) => string,
  emptyText: (empty: unknown) => string,
  writeOf: (name: string) => TextPart['write'],
): { readonly parts: readonly TextPart[]; readonly rest: string } {
  const parts: TextPart[] = []
  let before = ''
  for (const [n, name] of names.entries()) {
    before += beforeOf(name, n)
    const at = indexes.get(name)
    const spec = at === undefined ? undefined : all[at]!.spec
    const isLacking = at === undefined || at >= columns.length
    // A function of the caller has made the value of a cell.
    if (isLacking && spec?.type !== 'cell') {
      before += emptyText(spec && decoderOf(spec).empty)
      continue
    }
    const source = isLacking ? undefined : textSource(form, spec!, at)
    parts.push({ before, source, write: writeOf(name) })
    before = ''
  }
  return { parts, rest: before }
}

export function layoutOf(form: TextForm, befores: readonly Buffer[], end: Buffer): RowLayout {
  return {
    form,
    names: Buffer.concat([...befores, end]),
    nameBytes: befores.map(({ length }) => length),
    endBytes: end.length,
  }
}

/** The parts of lines that are each a row of one batch, up to the most rows of it. */
const IN_ORDER = /* @__PURE__ */ Uint32Array.from({ length: 4096 }, (_, n) => n)

/** Writes the `n`th row of a batch with its end. */
type RowWriter = (row: Row, out: TextBuffer, n: number) => void

/** Texts that the host has made, one behind the other, which are empty for other rows. */
class MadeTexts {
  readonly texts = new TextBuffer()
  /** Where the text of each row ends. */
  ends = new Uint32Array()
  #rows = 0

  clear(rows: number): this {
    this.texts.cutTo(0)
    const { buffer } = this.ends
    const hasRoom = 4 * rows <= buffer.byteLength
    this.ends = hasRoom ? new Uint32Array(buffer, 0, rows) : new Uint32Array(rows)
    this.#rows = 0
    return this
  }

  /** Makes the text of a row, behind those of the rows before. */
  make(n: number, write: (out: TextBuffer) => void): void {
    this.ends.fill(this.texts.length, this.#rows, n)
    this.#rows = n + 1
    write(this.texts)
    this.ends[n] = this.texts.length
  }

  /** Drops the text of the latest row. */
  drop(n: number): void {
    this.texts.cutTo(n === 0 ? 0 : this.ends[n - 1]!)
    this.#rows = n
  }

  /** Ends the texts of all rows. */
  end(): void {
    this.ends.fill(this.texts.length, this.#rows)
  }

  placeIn(core: ColumnsCore): number | undefined {
    return core.place(this.texts.view(), this.ends)
  }

  of(n: number): Uint8Array {
    return this.texts.view().subarray(n === 0 ? 0 : this.ends[n - 1], this.ends[n])
  }
}

/** Writes the batches under one header. */
export class BatchText {
  readonly #parts: readonly TextPart[]
  readonly #layout: RowLayout
  readonly #befores: readonly Buffer[]
  readonly #end: Buffer
  readonly #writeRow: RowWriter | undefined
  /** The texts that the host makes of a part. */
  readonly #made: MadeTexts[] = []
  /** The rows that the host writes. */
  readonly #rows = new MadeTexts()

  /** @param writeRow writes a row of which a part fails, and fails with its error */
  constructor(form: TextForm, parts: readonly TextPart[], end: string, writeRow?: RowWriter) {
    this.#parts = parts
    this.#befores = parts.map(({ before }) => Buffer.from(before))
    this.#end = Buffer.from(end)
    this.#layout = layoutOf(form, this.#befores, this.#end)
    this.#writeRow = writeRow
  }

  /** Writes all rows in view. */
  write(batch: RowBatch, out: TextBuffer): void {
    const core = columnsCoreWith(batch)
    const write = this.#writeRow
    if (core === undefined && write !== undefined) {
      for (let n = 0; n < batch.length; n++) write(batch.row(n), out, n)
      return
    }
    const block = core?.block
    const decoded = this.#parts.map(({ source }) => {
      const isKnown = source !== undefined && batch.decodedCells(source.at) === undefined
      return isKnown ? core?.decode(source.kernel, source.at) : undefined
    })
    const byHost = this.#make(batch, decoded)
    // A function of the caller may have used the module.
    const fast = core?.block === block ? core : undefined
    const columns = fast && this.#columns(fast, decoded)
    const isPlanned = columns !== undefined && fast!.plan([{ layout: this.#layout, columns }])
    const lines = isPlanned && fast!.compose(IN_ORDER.subarray(0, batch.length)) ? fast : undefined
    for (let n = 0, next = 0; n < batch.length; ) {
      while (next < byHost.length && byHost[next]! < n) next++
      const end = byHost[next] ?? batch.length
      const written = n < end ? lines?.lines(n, end, 1) : undefined
      if (written !== undefined) out.raw(written.text)
      n += written?.count ?? 0
      if (n === batch.length || (written?.count ?? 0) > 0) continue
      if (n === end) out.raw(this.#rows.of(n))
      else this.#writeOne(batch.row(n), n, decoded, out)
      n++
    }
  }

  /**
   * Makes what the module has not decoded, row by row, so that the first bad cell is met first.
   * Returns the numbers of the rows that the host has written as a whole.
   */
  #make(batch: RowBatch, decoded: readonly (DecodedColumn | undefined)[]): readonly number[] {
    const byHost: number[] = []
    this.#rows.clear(batch.length)
    const parts = this.#parts.flatMap((part, at) => {
      const left = decoded[at]?.left
      if (left?.length === 0) return []
      const made = (this.#made[at] ??= new MadeTexts()).clear(batch.length)
      return [{ part, made, left, next: 0 }]
    })
    const isLeft = new Uint8Array(batch.length)
    for (const { left } of parts) {
      if (left === undefined) isLeft.fill(1)
      else for (const n of left) isLeft[n] = 1
    }
    for (let n = isLeft.indexOf(1); n >= 0; n = isLeft.indexOf(1, n + 1)) {
      const row = batch.row(n)
      for (const each of parts) {
        if (each.left !== undefined && each.left[each.next] !== n) continue
        each.next++
        if (byHost.at(-1) === n) continue
        if (this.#makeOne(each.part, each.made, row, n)) continue
        const write = this.#writeRow!
        this.#rows.make(n, text => write(row, text, n))
        byHost.push(n)
      }
    }
    for (const { made } of parts) made.end()
    this.#rows.end()
    return byHost
  }

  /** Makes the text of a cell. Returns false where the writer of rows has to write the row. */
  #makeOne(part: TextPart, made: MadeTexts, row: Row, n: number): boolean {
    let isMade = false
    try {
      made.make(n, text => {
        isMade = part.write(row, text, n) !== false
      })
    } catch (error) {
      if (this.#writeRow === undefined) throw error
    }
    if (!isMade) made.drop(n)
    return isMade
  }

  /** Puts what the host has made into the module. Returns undefined where that has no room. */
  #columns(
    core: ColumnsCore,
    decoded: readonly (DecodedColumn | undefined)[],
  ): readonly TextColumn[] | undefined {
    const columns: TextColumn[] = []
    for (const [at, { source }] of this.#parts.entries()) {
      const column = decoded[at]
      const isWhole = column?.left.length === 0
      const made = isWhole ? undefined : this.#made[at]!.placeIn(core)
      if (!isWhole && made === undefined) return undefined
      if (column === undefined) columns.push({ kind: 'MADE', node: made! })
      else columns.push({ kind: source!.kind, node: column.node, made })
    }
    return columns
  }

  /** Writes a row without the module. */
  #writeOne(
    row: Row,
    n: number,
    decoded: readonly (DecodedColumn | undefined)[],
    out: TextBuffer,
  ): void {
    if (this.#writeRow !== undefined) {
      this.#writeRow(row, out, n)
      return
    }
    for (const [at, { write }] of this.#parts.entries()) {
      out.raw(this.#befores[at]!)
      if (decoded[at] === undefined) out.raw(this.#made[at]!.of(n))
      else write(row, out, n)
    }
    out.raw(this.#end)
  }
}
