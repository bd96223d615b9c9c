// The leaves of the columns of a file, and the levels of their values (Dremel). Every node is optional
// and every list has three levels, as the format names them:
//
//   optional group f (LIST) { repeated group list { optional <item> element } }
//
// A leaf has a slot for each value, and for each null or empty list above it. The definition level of
// a slot says how many of the optional and repeated nodes on its way are there, the repetition level
// which of the lists goes on; 0 begins a row.

import type { ArrowField, ArrowType, ColumnData } from '../../engine/index'

/** A node of the schema: a leaf where `children` are undefined. */
export interface SchemaNode {
  readonly name: string
  readonly type: ArrowType
  readonly isRepeated?: true
  readonly children?: readonly SchemaNode[]
}

export interface Leaf {
  readonly type: ArrowType
  readonly path: readonly string[]
  readonly maxDefinition: number
  readonly maxRepetition: number
}

export function schemaNode({ name, type }: ArrowField): SchemaNode {
  if (type.kind === 'struct') return { name, type, children: type.fields.map(schemaNode) }
  if (type.kind !== 'list') return { name, type }
  const element = schemaNode({ name: 'element', type: type.item })
  return { name, type, children: [{ name: 'list', type, isRepeated: true, children: [element] }] }
}

/** Returns the leaves below a node, in the order of the schema. */
export function leavesOf(node: SchemaNode, above?: Leaf): Leaf[] {
  const { name, type, isRepeated, children } = node
  const leaf = {
    type,
    path: [...(above?.path ?? []), name],
    maxDefinition: (above?.maxDefinition ?? 0) + 1,
    maxRepetition: (above?.maxRepetition ?? 0) + (isRepeated ? 1 : 0),
  }
  return children === undefined ? [leaf] : children.flatMap(child => leavesOf(child, leaf))
}

/** In place of the definition level of a slot whose node is there so far. */
export const LIVE = 255

/** The slots of a node for some rows. */
export interface Slots {
  readonly count: number
  /** A level for each slot, or LIVE; one level where all have it; undefined where all are live. */
  readonly definitions: Uint8Array | number | undefined
  /** Undefined where each slot begins a row. */
  readonly repetitions: Uint8Array | undefined
  /** The places of the live slots in the arrays of the node; undefined where they follow `from`. */
  readonly live: Int32Array | undefined
  readonly from: number
  readonly liveCount: number
}

export function slotsOfRows(from: number, count: number): Slots {
  const all = { definitions: undefined, repetitions: undefined, live: undefined }
  return { ...all, count, from, liveCount: count }
}

/** Calls `add` for each leaf of a column, in the order of {@link leavesOf}. */
export function eachLeaf(
  data: ColumnData,
  slots: Slots,
  add: (data: ColumnData, slots: Slots) => void,
  definition = 0,
  repetition = 0,
): void {
  const { type, children } = data
  const there = withoutNulls(data, slots, definition)
  // Where all rows are null, so is every leaf.
  if (typeof there.definitions === 'number') eachLeafBelow(data, leaf => add(leaf, there))
  else if (type.kind === 'list') {
    const items = itemsOf(data.offsets!, there, definition + 1, repetition + 1)
    eachLeaf(children[0]!, items, add, definition + 2, repetition + 1)
  } else if (type.kind === 'struct') {
    for (const child of children) eachLeaf(child, there, add, definition + 1, repetition)
  } else add(data, there)
}

function eachLeafBelow(data: ColumnData, add: (data: ColumnData) => void): void {
  if (data.children.length === 0) add(data)
  else for (const child of data.children) eachLeafBelow(child, add)
}

/** Gives the slots of nulls their level. */
function withoutNulls(data: ColumnData, slots: Slots, level: number): Slots {
  const { length, nullCount, validity } = data
  if (validity === undefined || nullCount === 0) return slots
  const { count, from } = slots
  if (nullCount === length && slots.definitions === undefined)
    return { ...slots, definitions: level, liveCount: 0 }
  const definitions = levelsOf(slots)
  const live = placeRoom.take(slots.liveCount)
  let liveCount = 0
  for (let slot = 0, nth = 0; slot < count; slot++) {
    if (definitions[slot] !== LIVE) continue
    const at = slots.live === undefined ? from + nth : slots.live[nth]!
    nth++
    if ((validity[at >> 3]! >> (at & 7)) & 1) live[liveCount++] = at
    else definitions[slot] = level
  }
  return { ...slots, definitions, live, liveCount }
}

function levelsOf({ definitions, count }: Slots): Uint8Array {
  const levels = levelRoom.take(count)
  if (typeof definitions === 'object') levels.set(definitions)
  else levels.fill(LIVE)
  return levels
}

// The slots of one column lie in memory that those of the next one use again, because an array for
// each of them would cost more than what is stored there.

class Room<A extends Uint8Array | Int32Array> {
  readonly #newArray: (length: number) => A
  #array: A
  #taken = 0

  constructor(newArray: (length: number) => A) {
    this.#newArray = newArray
    this.#array = newArray(1 << 16)
  }

  take(count: number): A {
    // What was taken of the smaller array stays as it is.
    if (this.#taken + count > this.#array.length) {
      this.#array = this.#newArray(2 * (this.#taken + count))
      this.#taken = 0
    }
    this.#taken += count
    return this.#array.subarray(this.#taken - count, this.#taken) as A
  }

  clear(): void {
    this.#taken = 0
  }
}

const levelRoom = new Room(length => new Uint8Array(length))
const placeRoom = new Room(length => new Int32Array(length))

/** Begins a column: the slots of the one before are used. */
export function reuseSlots(): void {
  levelRoom.clear()
  placeRoom.clear()
}

/** The slots of the items of lists. An empty list keeps one slot. */
function itemsOf(offsets: Int32Array, slots: Slots, level: number, repetition: number): Slots {
  const { count, from, live, liveCount } = slots
  const levels = typeof slots.definitions === 'object' ? slots.definitions : undefined
  let total = count - liveCount
  let items = 0
  for (let nth = 0; nth < liveCount; nth++) {
    const at = live === undefined ? from + nth : live[nth]!
    const length = offsets[at + 1]! - offsets[at]!
    items += length
    total += length === 0 ? 1 : length
  }
  const definitions = levelRoom.take(total).fill(LIVE)
  const repetitions = levelRoom.take(total).fill(repetition)
  // The items of lists that follow each other do so too.
  const places = live === undefined ? undefined : placeRoom.take(items)
  let out = 0
  let place = 0
  for (let slot = 0, nth = 0; slot < count; slot++) {
    const above = levels === undefined ? LIVE : levels[slot]!
    repetitions[out] = slots.repetitions === undefined ? 0 : slots.repetitions[slot]!
    if (above !== LIVE) {
      definitions[out++] = above
      continue
    }
    const at = live === undefined ? from + nth : live[nth]!
    nth++
    const first = offsets[at]!
    const length = offsets[at + 1]! - first
    if (length === 0) definitions[out++] = level
    else out += length
    if (places !== undefined) for (let n = 0; n < length; n++) places[place++] = first + n
  }
  return {
    count: total,
    definitions,
    repetitions,
    live: places,
    from: live === undefined && liveCount > 0 ? offsets[from]! : 0,
    liveCount: items,
  }
}
