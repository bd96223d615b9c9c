// Batches of columns as streams of Arrow's IPC format, each of which is whole: the schema, the
// dictionaries and one batch. The encoder of Parquet takes them in no other form.

import type { ArrowField, ArrowType, ColumnData } from '../../engine/index'
import { columnData } from '../../engine/index'
import {
  type Field,
  flatBuffer,
  int8,
  int16,
  int32,
  int64,
  pairs,
  type Reference,
  string,
  table,
  vector,
} from './flat-buffer'

/** The numbers of the format's schema. */
const VERSION_5 = 4
const HEADER = { schema: 1, dictionary: 2, batch: 3 } as const
const TYPE = { int: 2, float: 3, utf8: 5, boolean: 6, decimal: 7, date: 8, timestamp: 10 } as const
const LIST = 12
const STRUCT = 13
const DOUBLE = 2
const DAYS = 0
const MILLISECONDS = 1
const DECIMAL_DIGITS = 38

const ALIGNMENT = 8
const CONTINUATION = 0xffffffff
const END = Buffer.from([0xff, 0xff, 0xff, 0xff, 0, 0, 0, 0])

export class ArrowStream {
  readonly #start: Uint8Array

  constructor(fields: readonly ArrowField[]) {
    const dictionaries: (readonly string[])[] = []
    const tables = fields.map(field => fieldTable(field, dictionaries))
    const schema = message(HEADER.schema, table(int16(0), vector(tables)))
    this.#start = Buffer.concat([
      schema,
      ...dictionaries.flatMap((values, id) => {
        const { header, body, bytes } = record(values.length, [
          columnData({ kind: 'utf8' }, values),
        ])
        return [message(HEADER.dictionary, table(int64(id), header), bytes), ...body]
      }),
    ])
  }

  /** Returns the stream of one batch. */
  of(length: number, columns: readonly ColumnData[]): Uint8Array {
    const { header, body, bytes } = record(length, columns)
    return Buffer.concat([this.#start, message(HEADER.batch, header, bytes), ...body, END])
  }
}

function message(kind: number, header: Reference, bodyBytes = 0): Uint8Array {
  const metadata = flatBuffer(table(int16(VERSION_5), int8(kind), header, int64(bodyBytes)))
  const start = Buffer.alloc(8)
  start.writeUInt32LE(CONTINUATION)
  start.writeInt32LE(metadata.length, 4)
  return Buffer.concat([start, metadata])
}

/** @param dictionaries takes the texts of the columns of a fixed set of texts */
function fieldTable({ name, type }: ArrowField, dictionaries: (readonly string[])[]): Reference {
  const children = childrenOf(type).map(field => fieldTable(field, dictionaries))
  const [id, ...parts] = typeOf(type)
  const encoding =
    type.kind === 'dictionary'
      ? table(int64(dictionaries.push(type.values) - 1), intTable(32))
      : undefined
  const isNullable = int8(1)
  return table(string(name), isNullable, int8(id), table(...parts), encoding, vector(children))
}

function childrenOf(type: ArrowType): readonly ArrowField[] {
  if (type.kind === 'list') return [{ name: 'element', type: type.item }]
  return type.kind === 'struct' ? type.fields : []
}

/** The number of a type, and the fields of its table. */
function typeOf(type: ArrowType): [number, ...Field[]] {
  switch (type.kind) {
    case 'int32':
      return [TYPE.int, int32(32), int8(1)]
    case 'int64':
      return [TYPE.int, int32(64), int8(1)]
    case 'float64':
      return [TYPE.float, int16(DOUBLE)]
    case 'decimal':
      return [TYPE.decimal, int32(DECIMAL_DIGITS), int32(type.scale), int32(128)]
    case 'boolean':
      return [TYPE.boolean]
    case 'date':
      return [TYPE.date, int16(DAYS)]
    case 'timestamp':
      return [TYPE.timestamp, int16(MILLISECONDS), string('UTC')]
    case 'list':
      return [LIST]
    case 'struct':
      return [STRUCT]
    default:
      return [TYPE.utf8]
  }
}

function intTable(bits: number): Reference {
  return table(int32(bits), int8(1))
}

/** The arrays of a batch, and the table that says where they are. */
function record(length: number, columns: readonly ColumnData[]) {
  const nodes: [number, number][] = []
  const places: [number, number][] = []
  const body: Uint8Array[] = []
  let bytes = 0
  const add = (array: ArrayBufferView | undefined) => {
    const size = array?.byteLength ?? 0
    places.push([bytes, size])
    if (array === undefined || size === 0) return
    const rest = -size & (ALIGNMENT - 1)
    body.push(new Uint8Array(array.buffer, array.byteOffset, size), new Uint8Array(rest))
    bytes += size + rest
  }
  const addColumn = (data: ColumnData) => {
    nodes.push([data.length, data.nullCount])
    add(data.validity)
    if (data.offsets !== undefined) add(data.offsets)
    if (data.type.kind !== 'list' && data.type.kind !== 'struct') add(data.values)
    data.children.forEach(addColumn)
  }
  columns.forEach(addColumn)
  return { header: table(int64(length), pairs(nodes), pairs(places)), body, bytes }
}
