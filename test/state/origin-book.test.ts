import { expect, test, vi } from 'vitest'
import { ByteWriter } from '../../src/engine/codec/byte-records'
import { writeRowImage } from '../../src/engine/codec/row-image'
import type { Dialect } from '../../src/engine/codec/tsv/dialect'
import { TsvParser } from '../../src/engine/codec/tsv/parser'
import type { FeedFile } from '../../src/engine/schema/feed-schema'
import { itemSchema, itemSnapshotSchema } from '../../src/engine/schema/feed-schemas'
import { MemoryStore } from '../../src/state/memory/memory-store'
import { OriginBook } from '../../src/state/origin-book'
import { batchesOf } from '../rows-from-text'

const file: FeedFile = {
  feed: 'item_snapshot',
  marketplace: 'MKT_US',
  hour: new Date(7_200_000),
  lastModified: new Date(9_000_000),
}
const batch = (header: string[], of: FeedFile = file) =>
  batchesOf(itemSnapshotSchema, of, [header, header.map(column => `${column}!`)])[0]!

test('one header line of one file has one number, whichever objects represent it', async () => {
  const book = new OriginBook(new MemoryStore(), 'o', itemSnapshotSchema)
  const first = book.numberOf(batch(['itemId', 'title']))
  expect(book.numberOf(batch(['itemId', 'title'], { ...file, hour: new Date(7_200_000) }))).toBe(
    first,
  )
  const others = [
    batch(['title', 'itemId']),
    batch(['itemId', 'title'], { ...file, hour: new Date(0) }),
    batch(['itemId', 'title'], { feed: 'item' }),
  ]
  expect(new Set([first, ...others.map(other => book.numberOf(other))]).size).toBe(4)
  expect(book.unsaved).toHaveLength(4)
  book.saved(book.unsaved)
  expect(book.unsaved).toHaveLength(0)
})

test('rows are read back in a later book on the same store, with their file and place', async () => {
  const store = new MemoryStore()
  const book = new OriginBook(store, 'o', itemSnapshotSchema)
  for (let n = 0; n < 12; n++) book.numberOf(batch(['itemId'], { ...file, date: String(n) }))
  const row = batch(['title', 'itemId', 'unheardOf']).row(0)
  const writer = new ByteWriter()
  writeRowImage(row, book.numberOf(row.batch), writer)
  store.write(book.unsaved)
  const later = new OriginBook(store, 'o', itemSnapshotSchema)
  await later.open()
  await later.open()
  const read = later.row(writer.take(), 0, { complete: true })
  expect(read.toStrings()).toEqual({ title: 'title!', itemId: 'itemId!', unheardOf: 'unheardOf!' })
  expect(read.batch.file).toEqual(file)
  expect(read.position).toEqual(row.position)
  expect(later.numberOf(row.batch)).toBe(12)
  expect(later.unsaved).toEqual([])
})

test('a list that could not be read is read again by the next call', async () => {
  const store = new MemoryStore()
  const writer = new OriginBook(store, 'o', itemSnapshotSchema)
  writer.numberOf(batch(['itemId']))
  store.write(writer.unsaved)
  vi.spyOn(store, 'entries').mockImplementationOnce(() => {
    throw new Error('the disk is gone')
  })
  const book = new OriginBook(store, 'o', itemSnapshotSchema)
  await expect(book.open()).rejects.toThrow('the disk is gone')
  expect(book.isOpen).toBe(false)
  await book.open()
  expect(book.numberOf(batch(['itemId']))).toBe(0)
  expect(book.unsaved).toEqual([])
})

test('an invalid date of a file is left out, and not read back as 1970', () => {
  const book = new OriginBook(new MemoryStore(), 'o', itemSnapshotSchema)
  const row = batch(['itemId'], {
    ...file,
    hour: new Date(Number.NaN),
    lastModified: new Date(Number.NaN),
  }).row(0)
  const writer = new ByteWriter()
  writeRowImage(row, book.numberOf(row.batch), writer)
  expect(book.row(writer.take(), 0, { complete: true }).batch.file).toEqual({
    feed: 'item_snapshot',
    marketplace: 'MKT_US',
  })
})

test('a file without a column that the schema requires is refused', () => {
  const book = new OriginBook(new MemoryStore(), 'o', itemSchema)
  const [other] = batchesOf({ name: 'other', columns: {} }, { feed: 'other' }, [['title'], ['x']])
  expect(() => book.numberOf(other!)).toThrow(
    expect.objectContaining({ code: 'TSV_COLUMN_MISSING' }),
  )
})

test('rows of another dialect are read back as they were written, and equal no row of another one', async () => {
  const store = new MemoryStore()
  const book = new OriginBook(store, 'o', itemSnapshotSchema)
  const rowOf = (text: string, dialect: Dialect) => {
    const parser = new TsvParser({ schema: itemSnapshotSchema, file, dialect })
    return [...parser.push(Buffer.from(text)), ...parser.end()][0]!.row(0)
  }
  const header = ['itemId', 'title']
  const rows = [
    rowOf('x\t"a ""b"""\n', { header, quoting: 'doubled' }),
    rowOf('x\t"a ""b"""\n', { header, quoting: 'none' }),
    rowOf('x\t"y\\"",z\n', { header, delimiter: ',', quoting: 'none' }),
    rowOf('x\t"y\\"",z\n', { header, quoting: 'none' }),
    rowOf('x\t"a \\"b\\""\n', { header }),
  ]
  const images = rows.map(row => {
    const writer = new ByteWriter()
    writeRowImage(row, book.numberOf(row.batch), writer)
    return writer.take()
  })
  store.write(book.unsaved)
  const later = new OriginBook(store, 'o', itemSnapshotSchema)
  await later.open()
  const read = images.map(image => later.row(image, 0, { complete: true }))
  expect(read.map(row => row.text('title'))).toEqual([
    'a "b"',
    '"a ""b"""',
    'z',
    '"y\\"",z',
    'a "b"',
  ])
  expect(read.map(row => row.toStrings())).toEqual(rows.map(row => row.toStrings()))
  const contents = images.map(image => later.content(image, 0))
  expect(new Set(contents.map(({ signature }) => signature)).size).toBe(4)
  // Only the default dialect leaves the form of origins as it was.
  expect(contents[4]!.signature).toBe('["item_snapshot","itemId","title"]')
  expect(later.numberOf(rows[0]!.batch)).toBe(0)
  expect(later.unsaved).toEqual([])
})
