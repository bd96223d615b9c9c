// The rows of a batch as text, which the WebAssembly module writes from columns. The host writes
// what the module does not: columns whose cells are not all plainly good, columns that no file has,
// and rows for whose text the module has no room. The module writes what the host would.

import type { ColumnSpec } from '../../schema/column-spec'
import { decoderOf } from '../decode/cell-decoders'
import type { Row, RowBatch } from '../row-batch'
import { TextBuffer } from '../text-buffer'
import type { BoundHeader } from '../tsv/header'
import { arrowTypeOf } from './arrow-type'
import {
  type ColumnsCore,
  columnsCoreWith,
  type RowForm,
  type RowLayout,
  type TextColumn,
} from './columns-core'
import { type CellKind, type CellKinds, type Kernel, kernelOf } from './kernel'

/** A notation of rows, and how its cells are written. */
export interface TextForm extends RowForm {
  /** The kinds of values of columns whose cells are written as another kind than their own. */
  readonly kinds: CellKinds
  /** The parameter of the kernels of dates and timestamps: 1 refuses the year 0. */
  readonly timeParameter: number
}

/** As the text of the file. */
const KINDS: CellKinds = {
  decimal: 'TEXT_CELL',
  date: 'TEXT_CELL',
  timestamp: 'TEXT_CELL',
  oneOf: 'TEXT_CELL',
}
export const JSON_LINES: TextForm = {
  notation: 'JSON',
  nullText: 'null',
  kinds: KINDS,
  timeParameter: 0,
}
/** The text of PostgreSQL's COPY, where empty text is NULL. Lists are arrays, and pairs are jsonb. */
export const COPY_TEXT: TextForm = {
  notation: 'COPY',
  nullText: '',
  kinds: { ...KINDS, list: 'LIST_AS_ARRAY' },
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
    kinds: { ...KINDS, decimal: 'MADE', date: 'MADE', timestamp: 'MADE' },
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
   * Writes the value of the `n`th row of a batch, which comes in order. Without it a batch with a
   * value that only the host writes is written as a whole by the host.
   */
  write?(row: Row, out: TextBuffer, n: number): void
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
  const { type } = spec
  const kernel = kernelOf({ ...spec, notNull }, arrowTypeOf(spec))
  if (kernel === undefined) return undefined
  const kind = form.kinds[type] ?? kernel.kind
  if ((kind !== 'TEXT_CELL' && kind !== 'MADE') || type === 'text') return { at, kind, kernel }
  const cells = type === 'decimal' && spec.scale === undefined ? 'ANY_DECIMAL' : kernel.kind
  const isTime = type === 'date' || type === 'timestamp'
  const parameter = isTime ? form.timeParameter : kernel.parameter
  return { at, kind, kernel: { ...kernel, kind: cells, asText: true, parameter } }
}

/**
 * Returns the parts of rows that the module writes, and the text behind the last one;
 * undefined where it does not write a column.
 * @param beforeOf returns what stands before the value of a column
 * @param emptyText returns the value of a column that the file lacks
 * @param writeOf returns what writes a column that the module does not write, where it may stand in
 * the parts
 */
export function partsOf(
  form: TextForm,
  { columns, all, indexes }: BoundHeader,
  names: readonly string[],
  beforeOf: (name: string, n: number) => string,
  emptyText: (empty: unknown) => string,
  writeOf: (name: string, spec: ColumnSpec) => TextPart['write'] = () => undefined,
): { readonly parts: readonly TextPart[]; readonly rest: string } | undefined {
  const parts: TextPart[] = []
  let before = ''
  for (const [n, name] of names.entries()) {
    before += beforeOf(name, n)
    const at = indexes.get(name)
    const spec = at === undefined ? undefined : all[at]!.spec
    if (at === undefined || at >= columns.length) {
      if (spec?.type === 'cell') return undefined
      before += emptyText(spec && decoderOf(spec).empty)
      continue
    }
    const source = textSource(form, all[at]!.spec, at)
    const write = source === undefined ? writeOf(name, all[at]!.spec) : undefined
    if (source === undefined && write === undefined) return undefined
    parts.push(write === undefined ? { before, source } : { before, write })
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

/** The texts of a part that the host has made, one behind the other. */
interface MadeTexts {
  readonly texts: TextBuffer
  /** Where the text of each row ends. */
  readonly ends: Uint32Array
}

/** Writes the batches under one header. */
export class BatchText {
  readonly #parts: readonly TextPart[]
  readonly #layout: RowLayout
  readonly #befores: readonly Buffer[]
  readonly #end: Buffer
  readonly #writeRow: RowWriter | undefined
  /** Memory for the texts of each part. */
  readonly #buffers: TextBuffer[] = []

  /** @param writeRow without it each part has a `write` */
  constructor(form: TextForm, parts: readonly TextPart[], end: string, writeRow?: RowWriter) {
    this.#parts = parts
    this.#befores = parts.map(({ before }) => Buffer.from(before))
    this.#end = Buffer.from(end)
    this.#layout = layoutOf(form, this.#befores, this.#end)
    this.#writeRow = writeRow
  }

  /**
   * Writes all rows in view. Returns false, and writes nothing, where a part without `write` has a
   * cell that only the host writes.
   */
  write(batch: RowBatch, out: TextBuffer): boolean {
    const core = columnsCoreWith(batch)
    const block = core?.block
    const nodes: (number | undefined)[] = []
    for (const { source, write } of this.#parts) {
      const isDecoded = source !== undefined && batch.decodedCells(source.at) !== undefined
      const node = isDecoded ? undefined : source && core?.decode(source.kernel, source.at)
      if (node === undefined && write === undefined) return false
      nodes.push(node)
    }
    const made = this.#make(batch, nodes)
    // A function of the caller may have used the module.
    const fast = core?.block === block ? core : undefined
    const columns = fast && this.#columns(fast, nodes, made)
    const isPlanned = columns !== undefined && fast!.plan([{ layout: this.#layout, columns }])
    const lines = isPlanned && fast!.compose(IN_ORDER.subarray(0, batch.length)) ? fast : undefined
    if (lines === undefined && this.#parts.some(({ write }) => write === undefined)) return false
    for (let n = 0; n < batch.length; ) {
      const written = lines?.lines(n, batch.length, 1)
      if (written !== undefined) out.raw(written.text)
      n += written?.count ?? 0
      if (n === batch.length || (written?.count ?? 0) > 0) continue
      if (this.#writeRow === undefined) this.#joinRow(batch.row(n), n, made, out)
      else this.#writeRow(batch.row(n), out, n)
      n++
    }
    return true
  }

  /** Makes what the module has not decoded, row by row, so that the first bad cell is met first. */
  #make(
    batch: RowBatch,
    nodes: readonly (number | undefined)[],
  ): readonly (MadeTexts | undefined)[] {
    const made = this.#parts.map((_, at): MadeTexts | undefined => {
      if (nodes[at] !== undefined) return undefined
      const texts = (this.#buffers[at] ??= new TextBuffer())
      texts.cutTo(0)
      return { texts, ends: new Uint32Array(batch.length) }
    })
    const missing = made.flatMap((texts, at) =>
      texts === undefined ? [] : [{ ...texts, part: this.#parts[at]! }],
    )
    for (let n = 0; n < batch.length && missing.length > 0; n++) {
      const row = batch.row(n)
      for (const { texts, ends, part } of missing) {
        part.write!(row, texts, n)
        ends[n] = texts.length
      }
    }
    return made
  }

  /** Puts what the host has made into the module. Returns undefined where that has no room. */
  #columns(
    core: ColumnsCore,
    nodes: readonly (number | undefined)[],
    made: readonly (MadeTexts | undefined)[],
  ): readonly TextColumn[] | undefined {
    const columns: TextColumn[] = []
    for (const [at, { source }] of this.#parts.entries()) {
      const texts = made[at]
      const node = texts === undefined ? nodes[at] : core.place(texts.texts.view(), texts.ends)
      if (node === undefined) return undefined
      columns.push({ kind: texts === undefined ? source!.kind : 'MADE', node })
    }
    return columns
  }

  #joinRow(row: Row, n: number, made: readonly (MadeTexts | undefined)[], out: TextBuffer): void {
    for (const [at, { write }] of this.#parts.entries()) {
      out.raw(this.#befores[at]!)
      const texts = made[at]
      if (texts === undefined) write!(row, out, n)
      else out.raw(texts.texts.view().subarray(n === 0 ? 0 : texts.ends[n - 1], texts.ends[n]))
    }
    out.raw(this.#end)
  }
}
