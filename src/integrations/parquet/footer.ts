// The footer: the schema as a list of its nodes, the parents before their children, what the row groups
// have, and what is known of the file. Offsets count bytes of the file.
//
//   PAR1 · row groups, each chunk behind the other · footer · its size in four bytes · PAR1

import type { ArrowType } from '../../engine/index'
import type { ChunkFacts } from './column-chunk'
import type { Leaf, SchemaNode } from './leaf-slots'
import type { Value } from './thrift'
import * as thrift from './thrift'

export const MARK = Buffer.from('PAR1')
const VERSION = 1
/** The version is that of the encoder, by which readers know the faults of old ones. */
const CREATED_BY = 'feedmill version 1'
const OPTIONAL = 1
const REPEATED = 2
const DECIMAL_DIGITS = 38
const DECIMAL_BYTES = 16

const EMPTY = thrift.struct({})
const STRING = thrift.struct({ 1: EMPTY })
const LIST = thrift.struct({ 3: EMPTY })
const MILLISECONDS = thrift.struct({ 1: EMPTY })

/** The physical type of a leaf, its older logical type by number, and the logical type. */
interface LeafType {
  readonly physical: number
  readonly converted?: number
  readonly logical?: Value
}

const TEXT: LeafType = { physical: 6, converted: 0, logical: STRING }

function leafType(type: ArrowType): LeafType {
  switch (type.kind) {
    case 'boolean':
      return { physical: 0 }
    case 'int32':
      return { physical: 1 }
    case 'date':
      return { physical: 1, converted: 6, logical: thrift.struct({ 6: EMPTY }) }
    case 'int64':
      return { physical: 2 }
    case 'timestamp': {
      const inUtc = thrift.struct({ 1: thrift.bool(true), 2: MILLISECONDS })
      return { physical: 2, converted: 9, logical: thrift.struct({ 8: inUtc }) }
    }
    case 'float64':
      return { physical: 5 }
    case 'decimal': {
      const digits = thrift.struct({ 1: thrift.i32(type.scale), 2: thrift.i32(DECIMAL_DIGITS) })
      return { physical: 7, converted: 5, logical: thrift.struct({ 5: digits }) }
    }
    default:
      return TEXT
  }
}

/** Returns the elements of a node and of those below it. */
function elementsOf({ name, type, isRepeated, children }: SchemaNode): Value[] {
  const common = { 3: thrift.i32(isRepeated ? REPEATED : OPTIONAL), 4: thrift.text(name) }
  if (children !== undefined) {
    const isList = type.kind === 'list' && !isRepeated
    const list = isList ? { 6: thrift.i32(3), 10: LIST } : {}
    const group = thrift.struct({ ...common, 5: thrift.i32(children.length), ...list })
    return [group, ...children.flatMap(elementsOf)]
  }
  const { physical, converted, logical } = leafType(type)
  const decimal = type.kind === 'decimal' ? type : undefined
  const leaf = thrift.struct({
    ...common,
    1: thrift.i32(physical),
    2: decimal && thrift.i32(DECIMAL_BYTES),
    6: converted === undefined ? undefined : thrift.i32(converted),
    7: decimal && thrift.i32(decimal.scale),
    8: decimal && thrift.i32(DECIMAL_DIGITS),
    10: logical,
  })
  return [leaf]
}

/**
 * @param offset of the row group
 * @param codec the number of the compression
 */
export function rowGroup(
  chunks: readonly ChunkFacts[],
  rows: number,
  offset: number,
  codec: number,
): Value {
  let at = offset
  const columns = chunks.map(chunk => {
    const column = columnOf(chunk, at, codec)
    at += chunk.bytes
    return column
  })
  return thrift.struct({
    1: thrift.list(columns),
    2: thrift.i64(chunks.reduce((sum, { rawBytes }) => sum + rawBytes, 0)),
    3: thrift.i64(rows),
    5: thrift.i64(offset),
    6: thrift.i64(at - offset),
  })
}

function columnOf(chunk: ChunkFacts, offset: number, codec: number): Value {
  const { leaf, encodings, slots, rawBytes, bytes, dictionaryBytes } = chunk
  const metadata = thrift.struct({
    1: thrift.i32(leafType(leaf.type).physical),
    2: thrift.list([...new Set(encodings)].map(thrift.i32)),
    3: thrift.list(leaf.path.map(thrift.text)),
    4: thrift.i32(codec),
    5: thrift.i64(slots),
    6: thrift.i64(rawBytes),
    7: thrift.i64(bytes),
    9: thrift.i64(offset + dictionaryBytes),
    11: dictionaryBytes > 0 ? thrift.i64(offset) : undefined,
    12: statisticsOf(chunk),
  })
  return thrift.struct({ 2: thrift.i64(0), 3: metadata })
}

function statisticsOf({ nulls, range }: ChunkFacts): Value {
  const least = range.least()
  const greatest = range.greatest()
  return thrift.struct({
    3: thrift.i64(nulls),
    5: greatest && thrift.binary(greatest.bytes),
    6: least && thrift.binary(least.bytes),
    7: greatest && thrift.bool(greatest.isExact),
    8: least && thrift.bool(least.isExact),
  })
}

/** @param about what is known of the file, by names */
export function footer(
  nodes: readonly SchemaNode[],
  leaves: readonly Leaf[],
  rows: number,
  rowGroups: readonly Value[],
  about: ReadonlyMap<string, string>,
): Uint8Array {
  const root = thrift.struct({ 4: thrift.text('schema'), 5: thrift.i32(nodes.length) })
  const pairs = [...about].map(([key, value]) =>
    thrift.struct({ 1: thrift.text(key), 2: thrift.text(value) }),
  )
  // The order in which bounds are the least and the greatest is that of the type of each leaf.
  const ownOrder = thrift.struct({ 1: EMPTY })
  const [, bytes] = thrift.struct({
    1: thrift.i32(VERSION),
    2: thrift.list([root, ...nodes.flatMap(elementsOf)]),
    3: thrift.i64(rows),
    4: thrift.list(rowGroups),
    5: pairs.length === 0 ? undefined : thrift.list(pairs),
    6: thrift.text(CREATED_BY),
    7: thrift.list(leaves.map(() => ownOrder)),
  })
  const size = Buffer.alloc(4)
  size.writeUInt32LE(bytes.length)
  return Buffer.concat([bytes, size, MARK])
}
