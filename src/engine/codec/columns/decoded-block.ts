// The columns of a block as the WebAssembly module has decoded them: arrays in one memory, and
// records that say where they lie, as `record` of src/engine/wasm/columns.ts writes them.

import type { ArrowType } from './arrow-type'
import { type ColumnData, valuesIn } from './column-data'

/** Words of a record: length, nulls, and where validity, offsets and values lie and end. */
export const NODE_WORDS = 6

/** The columns of a block: a record for each of their arrays, the parents before their children. */
export class DecodedBlock {
  readonly #memory: ArrayBuffer
  readonly #nodes: Int32Array
  /** The number of the record that is read next. */
  #next = 0

  constructor(memory: ArrayBuffer, nodes: Int32Array) {
    this.#memory = memory
    this.#nodes = nodes
  }

  /** Returns the column whose record is the `node`th. */
  column(type: ArrowType, node: number): ColumnData {
    this.#next = node
    return this.#read(type)
  }

  /** Reads the next record, and behind it those of the children. */
  #read(type: ArrowType): ColumnData {
    const memory = this.#memory
    const nodes = this.#nodes
    const at = NODE_WORDS * this.#next++
    const length = nodes[at]!
    const nullCount = nodes[at + 1]!
    const { kind } = type
    const isNested = kind === 'list' || kind === 'struct'
    const hasOffsets = kind === 'utf8' || kind === 'list'
    return {
      type,
      length,
      nullCount,
      validity:
        nullCount === 0 ? undefined : new Uint8Array(memory, nodes[at + 2]!, (length + 7) >> 3),
      offsets: hasOffsets ? new Int32Array(memory, nodes[at + 3]!, length + 1) : undefined,
      values: isNested ? undefined : valuesIn(type, memory, nodes[at + 4]!, length, nodes[at + 5]!),
      children: isNested ? childrenOf(type).map(child => this.#read(child)) : NO_CHILDREN,
    }
  }
}

const NO_CHILDREN: readonly ColumnData[] = []

function childrenOf(type: ArrowType): readonly ArrowType[] {
  if (type.kind === 'list') return [type.item]
  return type.kind === 'struct' ? type.fields.map(field => field.type) : []
}
