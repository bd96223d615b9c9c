// Batches of columns as the bytes of Arrow's IPC format: a stream, or a file, which is a stream between
// two marks with a footer that says where its batches are.

import type { ArrowField, ArrowType } from './arrow-type'
import { type ColumnData, columnData } from './column-data'
import {
  type Field,
  flatBuffer,
  int8,
  int16,
  int32,
  int64,
  type Reference,
  string,
  structs,
  table,
  vector,
} from './flat-buffer'

/** Numbers of the format's schema. */
const VERSION_5 = 4
const HEADER = { schema: 1, dictionary: 2, batch: 3 } as const
const DOUBLE = int16(2)
const DAYS = int16(0)
const MILLISECONDS = int16(1)
const BITS_128 = int32(128)
const DIGITS = int32(38)
const INT32 = [int32(32), int8(1)] as const
const UTF8 = [5] as const

/** The number of each type, and the fields of its table. */
const TYPES = {
  utf8: UTF8,
  dictionary: UTF8,
  int32: [2, ...INT32],
  int64: [2, int32(64), int8(1)],
  float64: [3, DOUBLE],
  boolean: [6],
  decimal: [7, DIGITS],
  date: [8, DAYS],
  timestamp: [10, MILLISECONDS, string('UTC')],
  list: [12],
  struct: [13],
} as const satisfies { readonly [K in ArrowType['kind']]: readonly [number, ...Field[]] }

const ALIGNMENT = 8
const CONTINUATION = 0xffffffff
const END = Buffer.from([0xff, 0xff, 0xff, 0xff, 0, 0, 0, 0])
const MARK = 'ARROW1'

/** Where a message of a file is: its place, and the bytes of its two parts. */
type Block = readonly [at: number, metadataBytes: number, bodyBytes: number]

type Message = ReturnType<typeof record>

/** Gives the bytes of one file or stream: those of the start, of each batch, and of the end. */
export class ArrowIpc {
  /** The schema and the dictionaries. */
  readonly start: Uint8Array
  readonly #isFile: boolean
  readonly #schema: Reference
  readonly #dictionaryBlocks: Block[] = []
  readonly #batchBlocks: Block[] = []
  #bytes: number

  constructor(fields: readonly ArrowField[], format: 'file' | 'stream') {
    this.#isFile = format === 'file'
    const dictionaries: (readonly string[])[] = []
    const tables = fields.map(field => fieldTable(field, dictionaries))
    this.#schema = table(int16(0), vector(tables))
    const mark = Buffer.from(this.#isFile ? MARK.padEnd(ALIGNMENT, '\0') : '')
    const schema = message(HEADER.schema, this.#schema)
    this.#bytes = mark.length + schema.length
    const messages = dictionaries.map((values, id) => {
      const texts = record(values.length, [columnData({ kind: 'utf8' }, values)])
      const header = table(int64(id), texts.header)
      return this.#message(HEADER.dictionary, { ...texts, header }, this.#dictionaryBlocks)
    })
    this.start = Buffer.concat([mark, schema, ...messages])
  }

  batch(length: number, columns: readonly ColumnData[]): Uint8Array {
    return this.#message(HEADER.batch, record(length, columns), this.#batchBlocks)
  }

  end(): Uint8Array {
    if (!this.#isFile) return END
    const blocks = [structs(this.#dictionaryBlocks), structs(this.#batchBlocks)]
    const footer = flatBuffer(table(int16(VERSION_5), this.#schema, ...blocks))
    const size = Buffer.alloc(4)
    size.writeInt32LE(footer.length)
    return Buffer.concat([END, footer, size, Buffer.from(MARK)])
  }

  #message(kind: number, { header, body, bytes }: Message, blocks: Block[]): Uint8Array {
    const metadata = message(kind, header, bytes)
    if (this.#isFile) blocks.push([this.#bytes, metadata.length, bytes])
    this.#bytes += metadata.length + bytes
    return Buffer.concat([metadata, ...body])
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
  const [id, ...parts]: readonly [number, ...Field[]] = TYPES[type.kind]
  const scale = type.kind === 'decimal' ? [int32(type.scale), BITS_128] : []
  const encoding =
    type.kind === 'dictionary'
      ? table(int64(dictionaries.push(type.values) - 1), table(...INT32))
      : undefined
  const typeTable = table(...parts, ...scale)
  const isNullable = int8(1)
  return table(string(name), isNullable, int8(id), typeTable, encoding, vector(children))
}

function childrenOf(type: ArrowType): readonly ArrowField[] {
  if (type.kind === 'list') return [{ name: 'element', type: type.item }]
  return type.kind === 'struct' ? type.fields : []
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
  return { header: table(int64(length), structs(nodes), structs(places)), body, bytes }
}
