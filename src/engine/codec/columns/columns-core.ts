// The instance of the WebAssembly module src/engine/wasm/columns.ts, with typed calls. One instance
// serves all batches, because a batch is decoded and copied out of its memory within one call.

import type { ColumnSpec } from '../../schema/column-spec'
import { COPY_WORD_BYTES } from '../loan'
import type { RowBatch } from '../row-batch'
import { DOCUMENTED_CELLS } from '../tsv/dialect'
import {
  bytesOfWords,
  onFirstUse,
  type WasmConstant,
  WasmModule,
  wasmInstance,
  wasmMemory,
} from '../wasm-module'
import type { ArrowType } from './arrow-type'
import { type ColumnData, valuesIn } from './column-data'
import { COLUMNS_BINARY, COLUMNS_PAGES } from './columns-binary'

interface Exports {
  readonly BLOCK_BYTES: WasmConstant
  readonly MAX_ROWS: WasmConstant
  readonly MAX_CELLS: WasmConstant
  readonly BLOCK: WasmConstant
  readonly ROW_STARTS: WasmConstant
  readonly CELL_ENDS: WasmConstant
  readonly WORDS: WasmConstant
  readonly WORDS_BYTES: WasmConstant
  readonly NODES: WasmConstant
  readonly ARENA: WasmConstant
  readonly PLAN: WasmConstant
  readonly PLAN_BYTES: WasmConstant
  readonly NAMES: WasmConstant
  readonly NAMES_BYTES: WasmConstant
  readonly TEXT: WasmConstant
  begin(
    address: number,
    bytes: number,
    starts: number,
    ends: number,
    rows: number,
    columns: number,
    quote: number,
    escapedBy: number,
  ): void
  decode(kernel: number, column: number, parameter: number): number
  nodeCount(): number
  arenaTop(): number
  writeRows(
    nodes: number,
    arena: number,
    first: number,
    rows: number,
    columns: number,
    endBytes: number,
  ): number
  textBytes(): number
}

const NODE_WORDS = 6
const PLAN_WORDS = 3
const LINE_END = 0x0a

/** How the module decodes a column. */
export interface Kernel {
  /** The number of the kind in `run` of the module. */
  readonly id: number
  readonly parameter: number
  /** The texts of a `oneOf` column. */
  readonly words?: Uint8Array
}

/** How the module writes the rows under a header. */
export interface LinePlan {
  /** In the order of the object's properties. */
  readonly columns: readonly LineColumn[]
  /**
   * What stands before each value, the name with its marks and columns that the file lacks, and
   * behind the last value.
   */
  readonly names: Buffer
  readonly endBytes: number
}

export interface LineColumn {
  /** The number of the column in the file. */
  readonly at: number
  readonly notNull: boolean
  readonly kernel: Kernel
  /** The number of the kind in `writeValue` of the module. */
  readonly kind: number
  /** Bytes of what stands before the value. */
  readonly nameBytes: number
}

const KERNELS: { readonly [T in ColumnSpec['type']]?: number } = {
  text: 1,
  int32: 2,
  int64: 3,
  decimal: 4,
  boolean: 5,
  date: 6,
  timestamp: 7,
  oneOf: 8,
  list: 9,
  regions: 10,
  aspects: 11,
  conditionDescriptors: 12,
}

/** Returns how the module decodes a column; undefined where only the plain way does. */
export function kernelOf(
  { type, element, separator = '', notNull }: ColumnSpec,
  arrow: ArrowType,
): Kernel | undefined {
  const id = KERNELS[type]
  // An empty list is no null, so only the plain way knows it as an empty cell.
  if (id === undefined || (arrow.kind === 'list' && notNull === true)) return undefined
  if (arrow.kind === 'decimal') return { id, parameter: arrow.scale }
  if (arrow.kind === 'dictionary') {
    // The module compares bytes, and in quotes these bytes may be an escape.
    if (arrow.values.some(value => /["\\]/.test(value))) return undefined
    const words = Buffer.concat(arrow.values.map(wordOf))
    return { id, parameter: arrow.values.length, words }
  }
  if (type !== 'list') return { id, parameter: 0 }
  const isPlain = element === undefined || element.type === 'text'
  const byte = separator.charCodeAt(0)
  return isPlain && separator.length === 1 && byte > 0x20 && byte < 0x80
    ? { id, parameter: byte }
    : undefined
}

function wordOf(text: string): Buffer {
  const length = Buffer.byteLength(text)
  const word = Buffer.alloc(4 + 4 * Math.ceil(length / 4))
  word.writeUInt32LE(length)
  word.write(text, 4)
  return word
}

/** The columns of a block, in memory of their own: a record for each of their arrays. */
export class DecodedBlock {
  readonly #memory: ArrayBuffer
  readonly #nodes: Int32Array

  constructor(memory: ArrayBuffer, nodes: Int32Array) {
    this.#memory = memory
    this.#nodes = nodes
  }

  /** Returns the column whose record is the `node`th. */
  column(type: ArrowType, node: number): ColumnData {
    return this.#read(type, node).data
  }

  /** @returns the number of the record behind those of the column, too */
  #read(type: ArrowType, node: number): { readonly data: ColumnData; readonly next: number } {
    const memory = this.#memory
    const [length = 0, nullCount = 0, validAt, offsetsAt, valuesAt = 0, bytes] =
      this.#nodes.subarray(NODE_WORDS * node)
    const children: ColumnData[] = []
    let next = node + 1
    for (const child of childrenOf(type)) {
      const read = this.#read(child, next)
      children.push(read.data)
      next = read.next
    }
    const { kind } = type
    const isNested = kind === 'list' || kind === 'struct'
    const hasOffsets = kind === 'utf8' || kind === 'list'
    const data: ColumnData = {
      type,
      length,
      nullCount,
      validity:
        nullCount === 0 ? undefined : new Uint8Array(memory, validAt, Math.ceil(length / 8)),
      offsets: hasOffsets ? new Int32Array(memory, offsetsAt, length + 1) : undefined,
      values: isNested ? undefined : valuesIn(type, memory, valuesAt, length, bytes),
      children,
    }
    return { data, next }
  }
}

function childrenOf(type: ArrowType): readonly ArrowType[] {
  if (type.kind === 'list') return [type.item]
  return type.kind === 'struct' ? type.fields.map(field => field.type) : []
}

export class ColumnsCore {
  readonly #exports: Exports
  readonly #memory: Uint8Array
  /** The columns whose names lie in the memory. */
  #planned: LinePlan | undefined

  /** @throws DEPENDENCY_UNSUPPORTED where WebAssembly is missing */
  constructor() {
    const memory = wasmMemory(COLUMNS_PAGES)
    this.#exports = wasmInstance<Exports>(columnsModule.compiledFor(memory), memory)
    this.#memory = new Uint8Array(memory.buffer)
  }

  /** Takes a copy of a batch. Returns false where it is too large. */
  begin(batch: RowBatch): boolean {
    const { BLOCK_BYTES, MAX_ROWS, MAX_CELLS, BLOCK, ROW_STARTS, CELL_ENDS, begin } = this.#exports
    const { index, selection, rowCount, header } = batch
    const { columns } = index
    const bytes = batch.bytesOf()
    if (
      rowCount > MAX_ROWS.value ||
      rowCount * columns > MAX_CELLS.value ||
      bytes.length > BLOCK_BYTES.value
    )
      return false
    const block = this.#copy(bytes, BLOCK.value)
    // The last cell ends as all others do, and not in what an earlier block has left there.
    this.#memory[block + bytes.length] = LINE_END
    const starts = selection === undefined ? index.rowStarts : chosen(index.rowStarts, 1, selection)
    const ends =
      selection === undefined ? index.cellEnds : chosen(index.cellEnds, columns, selection)
    const startsAt = this.#copy(bytesOfWords(starts, batch.length), ROW_STARTS.value)
    const endsAt = this.#copy(bytesOfWords(ends, batch.length * columns), CELL_ENDS.value)
    const { quote, escapedBy } = header.cells ?? DOCUMENTED_CELLS
    begin(
      block - index.rowStarts[0]!,
      bytes.length,
      startsAt,
      endsAt,
      batch.length,
      columns,
      quote,
      escapedBy,
    )
    return true
  }

  /**
   * Decodes a column of the batch. Returns the number of its record, and undefined where a cell is
   * not plainly good.
   */
  decode({ id, parameter, words }: Kernel, column: number): number | undefined {
    const { WORDS, WORDS_BYTES, nodeCount, decode } = this.#exports
    if (words !== undefined) {
      if (words.length > WORDS_BYTES.value) return undefined
      this.#memory.set(words, WORDS.value)
    }
    const node = nodeCount()
    return decode(id, column, parameter) === 0 ? undefined : node
  }

  /** Returns whether no cell of the column of a record is known to be empty. */
  isFilled(node: number): boolean {
    return this.#node(node, 1)[1] === 0
  }

  /** Takes how rows of the decoded columns are written. Returns false where it is too long. */
  plan(plan: LinePlan, nodes: readonly number[]): boolean {
    const { PLAN, PLAN_BYTES, NAMES, NAMES_BYTES } = this.#exports
    const { columns, names } = plan
    if (PLAN_WORDS * 4 * columns.length > PLAN_BYTES.value || names.length > NAMES_BYTES.value)
      return false
    const words = new Uint32Array(this.#memory.buffer, PLAN.value, PLAN_WORDS * columns.length)
    columns.forEach(({ kind, nameBytes }, n) => {
      words.set([kind, nodes[n]!, nameBytes], PLAN_WORDS * n)
    })
    if (this.#planned !== plan) this.#memory.set(names, NAMES.value)
    this.#planned = plan
    return true
  }

  /** Writes rows from `first` on. Returns as many as have room, in this memory. */
  lines(first: number, rows: number): { readonly text: Uint8Array; readonly count: number } {
    const { NODES, ARENA, TEXT, writeRows, textBytes } = this.#exports
    const count = writeRows(
      NODES.value,
      ARENA.value,
      first,
      rows,
      this.#planned!.columns.length,
      this.#planned!.endBytes,
    )
    return { text: this.#memory.subarray(TEXT.value, TEXT.value + textBytes()), count }
  }

  /** Copies the columns out of this memory. */
  end(): DecodedBlock {
    const { ARENA, arenaTop, nodeCount } = this.#exports
    const arrays = this.#memory.subarray(ARENA.value, arenaTop())
    // A new ArrayBuffer would be zeroed first, which costs time.
    const memory = Buffer.allocUnsafeSlow(arrays.length).buffer as ArrayBuffer
    new Uint8Array(memory).set(arrays)
    return new DecodedBlock(memory, this.#node(0, nodeCount()).slice())
  }

  #node(first: number, count: number): Int32Array {
    const at = this.#exports.NODES.value + 4 * NODE_WORDS * first
    return new Int32Array(this.#memory.buffer, at, NODE_WORDS * count)
  }

  /** Returns the address of the copy, which is aligned like its source: that makes it quick. */
  #copy(bytes: Uint8Array, to: number): number {
    const at = to + (bytes.byteOffset % COPY_WORD_BYTES)
    this.#memory.set(bytes, at)
    return at
  }
}

const columnsModule = /* @__PURE__ */ new WasmModule(COLUMNS_BINARY)

/** Returns the instance, or null where WebAssembly is missing. */
export const columnsCore = /* @__PURE__ */ onFirstUse(() => new ColumnsCore())

/** Returns the entries of the selected rows, each of which has `width` of them. */
function chosen<T extends Uint32Array | Int32Array>(all: T, width: number, slots: Uint32Array): T {
  const some = all.slice(0, width * slots.length) as T
  slots.forEach((slot, n) => {
    some.set(all.subarray(width * slot, width * (slot + 1)), width * n)
  })
  return some
}
