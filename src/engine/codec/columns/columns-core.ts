// The instance of the WebAssembly module src/engine/wasm/columns.ts, with typed calls. One instance
// serves all batches, because a batch is decoded and copied out of its memory within one call. The
// file is one piece, because all calls work on the batch that `begin` has copied there.

import type { CellKind, Notation } from '../kinds/kind-of-cells'
import { copyInto, outputMemory } from '../memory'
import type { RowBatch } from '../row-batch'
import { DOCUMENTED_CELLS } from '../tsv/cell-rules'
import { CELL_END, ROW_NON_ASCII } from '../tsv/scan-space'
import { rowsNotUtf8 } from '../tsv/utf8-rows'
import { bytesOfWords, onFirstUse, WasmModule, wasmInstance, wasmMemory } from '../wasm-module'
import { DecodedBlock, NODE_WORDS } from './column-data'
import { COLUMNS_BINARY, COLUMNS_PAGES } from './columns-binary'
import type { Kernel, ValueKernel } from './kernel'

interface Exports extends Readonly<Record<CellKind | Notation, number>> {
  readonly AS_TEXT: number
  readonly BLOCK_BYTES: number
  readonly MAX_ROWS: number
  readonly MAX_CELLS: number
  readonly BLOCK: number
  readonly ROW_STARTS: number
  readonly CELL_ENDS: number
  readonly WORDS: number
  readonly WORDS_BYTES: number
  readonly SEPARATOR: number
  readonly SEPARATOR_BYTES: number
  readonly LEFT: number
  readonly NODES: number
  readonly ARENA: number
  readonly PLAN: number
  readonly PLAN_BYTES: number
  readonly NAMES: number
  readonly NAMES_BYTES: number
  readonly PLANS: number
  readonly PLANS_BYTES: number
  readonly LINES: number
  readonly LINES_BYTES: number
  readonly TEXT: number
  begin(
    address: number,
    bytes: number,
    starts: number,
    ends: number,
    rows: number,
    columns: number,
    quote: number,
    escapedBy: number,
    adds: boolean,
  ): void
  decode(
    kernel: number,
    column: number,
    parameter: number,
    element: number,
    separatorBytes: number,
    notNull: boolean,
  ): number
  nodeCount(): number
  arenaTop(): number
  writeLines(nodes: number, arena: number, first: number, lines: number, parts: number): number
  setForm(
    notation: number,
    nullText: number,
    nullBytes: number,
    delimiter: number,
    neutralizes: boolean,
  ): void
  makeRoom(bytes: number): number
  textBytes(): number
  hashTexts(): number
  extremeRow(
    valid: number,
    values: number,
    stride: number,
    rows: number,
    isHighest: boolean,
  ): number
}

/** Words of a column in a plan, and of a plan. */
const ENTRY_WORDS = 4
const PLAN_WORDS = 4
const LINE_END = 0x0a

/** The texts of all cells of a batch without quotes and escapes, and their hashes. */
export interface HashedTexts {
  /**
   * PLACE_WORDS for each cell, row by row: where its text begins and ends in `view`, and the hash of
   * a text that is not empty.
   */
  readonly places: Int32Array
  readonly view: DataView
}

export const PLACE_WORDS = 3

/** A notation of rows. */
export interface RowForm {
  /** As kinds.ts of the module names it. */
  readonly notation: Notation
  /** At most four bytes of ASCII. */
  readonly nullText: string
  /** The delimiter of CSV. */
  readonly delimiter?: string
  /** True where formulas in CSV are left to the host. */
  readonly neutralizes?: boolean
}

/** How the module writes the rows under a header. */
export interface RowLayout {
  readonly form: RowForm
  /** What stands before each value, and behind the last one. */
  readonly names: Buffer
  /** The bytes of these texts, without the last one. */
  readonly nameBytes: readonly number[]
  readonly endBytes: number
}

/** A column that the module has decoded. */
export interface DecodedColumn {
  /** The number of its record. */
  readonly node: number
  /**
   * The rows in view, in their order, whose cells are not plainly good. Here they are null, or an
   * empty list, and the host decides about them.
   */
  readonly left: Uint32Array
}

/** A column whose values stand in the memory of the module. */
export interface TextColumn {
  readonly kind: CellKind
  /** The number of the record. */
  readonly node: number
  /** The number of the record of the texts that the host has made for some rows, where it is not empty. */
  readonly made?: number | undefined
}

/** In place of such a record. */
const NONE = 0xffff_ffff
const NO_ROWS = new Uint32Array()

/** Rows of one layout whose values stand in the memory of the module. */
export interface RowPlan {
  readonly layout: RowLayout
  readonly columns: readonly TextColumn[]
}

export class ColumnsCore {
  readonly #exports: Exports
  readonly #memory: Uint8Array
  /** The same bytes. */
  readonly #view: DataView

  /** The number of the batch in view, which counts on. */
  block = 0

  /** @throws DEPENDENCY_UNSUPPORTED where WebAssembly is missing */
  constructor() {
    const memory = wasmMemory(COLUMNS_PAGES)
    this.#exports = wasmInstance<Exports>(columnsModule.compiledFor(memory), memory)
    this.#memory = new Uint8Array(memory.buffer)
    this.#view = new DataView(memory.buffer)
  }

  /**
   * Takes a copy of a batch. Returns false where it is too large.
   * @param adds true where the columns of the batches before stay
   */
  begin(batch: RowBatch, adds = false): boolean {
    const { BLOCK_BYTES, MAX_ROWS, MAX_CELLS, BLOCK, ROW_STARTS, CELL_ENDS, begin } = this.#exports
    const { index, selection, rowCount, header } = batch
    const { columns } = index
    const bytes = batch.bytesOf()
    if (rowCount > MAX_ROWS || rowCount * columns > MAX_CELLS || bytes.length > BLOCK_BYTES)
      return false
    this.block++
    copyInto(this.#memory, BLOCK, bytes)
    // The last cell ends as all others do, and not in what an earlier block has left there.
    this.#memory[BLOCK + bytes.length] = LINE_END
    this.#copyRows(ROW_STARTS, index.rowStarts, 1, selection, rowCount)
    this.#copyRows(CELL_ENDS, index.cellEnds, columns, selection, rowCount)
    const end = this.#replaceInvalid(batch, bytes)
    if (end === undefined) return false
    const { quote, escapedBy } = header.cells ?? DOCUMENTED_CELLS
    begin(
      BLOCK - index.rowStarts[0]!,
      end,
      ROW_STARTS,
      CELL_ENDS,
      batch.length,
      columns,
      quote,
      escapedBy,
      adds,
    )
    return true
  }

  /** Copies the words of the selected rows, each of which has `width` of them. */
  #copyRows(
    at: number,
    words: Uint32Array | Int32Array,
    width: number,
    slots: Uint32Array | undefined,
    rows: number,
  ): void {
    const all = bytesOfWords(words, rows * width)
    if (slots === undefined) {
      copyInto(this.#memory, at, all)
      return
    }
    const bytes = 4 * width
    // Rows that stand side by side are copied at once.
    for (let n = 0, first = 0; n < slots.length; first = n) {
      const slot = slots[n++]!
      while (n < slots.length && slots[n] === slot + n - first) n++
      const some = all.subarray(bytes * slot, bytes * (slot + n - first))
      copyInto(this.#memory, at + bytes * first, some)
    }
  }

  /**
   * Puts rows in view that are not UTF-8, which `invalidUtf8: 'replace'` lets pass, behind the block
   * with U+FFFD in the places of their bytes. Returns where the block ends then; undefined where there
   * is no room.
   */
  #replaceInvalid(batch: RowBatch, bytes: Uint8Array): number | undefined {
    const { index, selection, rowCount, cells } = batch
    const { columns, rowStarts, rowFlags } = index
    let end = bytes.length
    if (batch.isUtf8 || !rowFlags.subarray(0, rowCount).includes(ROW_NON_ASCII)) return end
    const { BLOCK_BYTES, BLOCK, ROW_STARTS, CELL_ENDS } = this.#exports
    const first = rowStarts[0]!
    for (const slot of rowsNotUtf8(cells.bytes, rowStarts, rowCount, first + end)) {
      const row = selection === undefined ? slot : selection.indexOf(slot)
      if (row < 0) continue
      const ends = new Int32Array(this.#memory.buffer, CELL_ENDS + 4 * row * columns, columns)
      let start = rowStarts[slot]!
      new Uint32Array(this.#memory.buffer, ROW_STARTS + 4 * row, 1)[0] = end + first
      for (let n = 0; n < columns; n++) {
        const cellEnd = ends[n]! & CELL_END
        const text = Buffer.from(cells.bytes.toString('utf8', start, cellEnd))
        start = cellEnd + 1
        if (end + text.length >= BLOCK_BYTES) return undefined
        this.#memory.set(text, BLOCK + end)
        end += text.length
        ends[n] = (ends[n]! & ~CELL_END) | (end + first)
        this.#memory[BLOCK + end++] = LINE_END
      }
    }
    return end
  }

  /** Decodes a column of the batch. Returns undefined where its arrays have no room. */
  decode(kernel: Kernel, column: number): DecodedColumn | undefined {
    const exports = this.#exports
    const { element, separator } = kernel
    const words = kernel.words ?? element?.words
    if (separator !== undefined) {
      if (separator.length > exports.SEPARATOR_BYTES) return undefined
      this.#memory.set(separator, exports.SEPARATOR)
    }
    if (words !== undefined) {
      if (words.length > exports.WORDS_BYTES) return undefined
      this.#memory.set(words, exports.WORDS)
    }
    const node = exports.nodeCount()
    const count = exports.decode(
      this.#number(kernel),
      column,
      element === undefined ? kernel.parameter : element.parameter,
      element === undefined ? 0 : this.#number(element),
      separator === undefined ? 0 : separator.length,
      kernel.notNull,
    )
    if (count < 0) return undefined
    if (count === 0) return { node, left: NO_ROWS }
    return { node, left: new Uint32Array(this.#memory.buffer, exports.LEFT, count).slice() }
  }

  #number({ kind, asText }: ValueKernel): number {
    return this.#exports[kind] + (asText === true ? this.#exports.AS_TEXT : 0)
  }

  /** Returns the texts of the batch, in this memory until the next batch; undefined without room. */
  hashedTexts({ length, index }: RowBatch): HashedTexts | undefined {
    const at = this.#exports.hashTexts()
    if (at === 0) return undefined
    const words = PLACE_WORDS * length * index.columns
    return { places: new Int32Array(this.#memory.buffer, at, words), view: this.#view }
  }

  /** Returns the rows of the lowest and of the highest number in a record; none where all are null. */
  extremeRows(node: number): readonly number[] {
    const { ARENA, extremeRow } = this.#exports
    const [rows = 0, nullCount = 0, validAt = 0, , valuesAt = 0, bytes = 0] = this.#node(node, 1)
    if (nullCount === rows) return []
    const valid = nullCount === 0 ? 0 : ARENA + validAt
    return [false, true].map(isHighest =>
      extremeRow(valid, ARENA + valuesAt, bytes / rows, rows, isHighest),
    )
  }

  /**
   * Takes a column of texts that are written as they are.
   * @param ends of the text of each row
   * @returns the number of its record; undefined where there is no room
   */
  place(texts: Uint8Array, ends: Uint32Array): number | undefined {
    const { nodeCount, makeRoom, ARENA } = this.#exports
    const node = nodeCount()
    const at = makeRoom(texts.length)
    if (at === 0) return undefined
    const offsets = new Uint32Array(this.#memory.buffer, at, ends.length + 1)
    offsets[0] = 0
    offsets.set(ends, 1)
    this.#memory.set(texts, ARENA + this.#node(node, 1)[4]!)
    return node
  }

  /** Takes how rows are written, all in one form. Returns false where it is too long. */
  plan(plans: readonly RowPlan[]): boolean {
    const { PLAN, PLAN_BYTES, PLANS, PLANS_BYTES, NAMES, NAMES_BYTES, setForm } = this.#exports
    const { notation, nullText, delimiter = ',', neutralizes = false } = plans[0]!.layout.form
    setForm(
      this.#exports[notation],
      Buffer.from(nullText.padEnd(4)).readUInt32LE(),
      nullText.length,
      delimiter.charCodeAt(0),
      neutralizes,
    )
    const words = new Uint32Array(this.#memory.buffer)
    let name = NAMES
    let entry = PLAN >> 2
    let plan = PLANS >> 2
    for (const { layout, columns } of plans) {
      const { names, nameBytes, endBytes } = layout
      const last = entry + ENTRY_WORDS * columns.length
      if (
        plan + PLAN_WORDS > (PLANS + PLANS_BYTES) >> 2 ||
        last > (PLAN + PLAN_BYTES) >> 2 ||
        name + names.length > NAMES + NAMES_BYTES
      )
        return false
      words[plan++] = entry << 2
      words[plan++] = last << 2
      words[plan++] = name
      words[plan++] = endBytes
      for (let n = 0; n < columns.length; n++) {
        words[entry++] = this.#exports[columns[n]!.kind]
        words[entry++] = columns[n]!.node
        words[entry++] = nameBytes[n]!
        words[entry++] = columns[n]!.made ?? NONE
      }
      this.#memory.set(names, name)
      name += names.length
    }
    return true
  }

  /**
   * Takes the parts of lines, each as {@link linePart}; all of a line, and then those of the next.
   * Returns false where there are too many.
   */
  compose(parts: Uint32Array): boolean {
    const { LINES, LINES_BYTES } = this.#exports
    if (parts.byteLength > LINES_BYTES) return false
    new Uint32Array(this.#memory.buffer, LINES, parts.length).set(parts)
    return true
  }

  /**
   * Writes lines from `first` on. Returns as many as have room, in this memory.
   * @param parts those of a line
   */
  lines(
    first: number,
    lines: number,
    parts: number,
  ): { readonly text: Uint8Array; readonly count: number } {
    const { NODES, ARENA, TEXT, writeLines, textBytes } = this.#exports
    const count = writeLines(NODES, ARENA, first, lines, parts)
    return { text: this.#memory.subarray(TEXT, TEXT + textBytes()), count }
  }

  /** Copies the columns out of this memory. @param take returns the memory that they go to */
  end(take: (bytes: number) => ArrayBuffer = outputMemory): DecodedBlock {
    const { ARENA, arenaTop, nodeCount } = this.#exports
    const arrays = this.#memory.subarray(ARENA, arenaTop())
    const memory = take(arrays.length)
    copyInto(new Uint8Array(memory), 0, arrays)
    return new DecodedBlock(memory, this.#node(0, nodeCount()).slice())
  }

  #node(first: number, count: number): Int32Array {
    const at = this.#exports.NODES + 4 * NODE_WORDS * first
    return new Int32Array(this.#memory.buffer, at, NODE_WORDS * count)
  }
}

/** Returns the row of a plan as a part of a line. */
export function linePart(plan: number, row: number): number {
  return (plan << 16) | row
}

const columnsModule = /* @__PURE__ */ new WasmModule(COLUMNS_BINARY)

const columnsCore = /* @__PURE__ */ onFirstUse(() => new ColumnsCore())

/**
 * Returns an instance with the rows of a batch in view; undefined where WebAssembly is missing, or
 * the batch is empty or too large.
 * @param instance by default the one that all share, which has the batch until a function of the
 * caller runs
 * @param adds true where the columns of the batches before stay
 */
export function columnsCoreWith(
  batch: RowBatch,
  instance: () => ColumnsCore | null = columnsCore,
  adds = false,
): ColumnsCore | undefined {
  const core = batch.length > 0 ? instance() : null
  return core?.begin(batch, adds) ? core : undefined
}
