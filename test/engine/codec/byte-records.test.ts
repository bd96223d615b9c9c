import fc from 'fast-check'
import { expect, test } from 'vitest'
import { ByteReader, ByteWriter } from '../../../src/engine/codec/byte-records'

const numbers = fc.oneof(
  fc.maxSafeNat(),
  fc.nat(300),
  fc.constantFrom(0, 127, 128, 2 ** 31, 2 ** 32, Number.MAX_SAFE_INTEGER),
)

test('records read back as they were written, also after later ones', () => {
  const record = fc.record({
    numbers: fc.array(numbers),
    byte: fc.nat(255),
    double: fc.double(),
    bytes: fc.uint8Array({ maxLength: 40_000 }),
  })
  fc.assert(
    fc.property(fc.array(record, { maxLength: 6 }), records => {
      const writer = new ByteWriter()
      const taken = records.map(({ numbers, byte, double, bytes }) => {
        for (const number of numbers) writer.number(number)
        writer.byte(byte)
        writer.double(double)
        writer.bytes(bytes)
        return writer.take()
      })
      for (const [n, { numbers, byte, double, bytes }] of records.entries()) {
        const reader = new ByteReader(taken[n]!)
        expect(numbers.map(() => reader.number())).toEqual(numbers)
        expect([reader.byte(), reader.double()]).toEqual([byte, double])
        expect(reader.at).toBe(taken[n]!.length - bytes.length)
        expect(Buffer.compare(reader.rest(), bytes)).toBe(0)
      }
    }),
  )
})

test('a number ends with the bytes, also where they are cut', () => {
  const reader = new ByteReader(Uint8Array.of(0x85, 0x80))
  expect([reader.number(), reader.number()]).toEqual([5, 0])
})

test('a record may be longer than a chunk', () => {
  const writer = new ByteWriter()
  writer.number(300)
  writer.bytes(new Uint8Array(200_000).fill(5))
  expect(writer.take()).toHaveLength(200_002)
  expect(writer.take()).toHaveLength(0)
})

test('after a rewind the memory takes the next records, as much as were written before', () => {
  const writer = new ByteWriter()
  const write = (length: number, value: number) => {
    writer.bytes(new Uint8Array(length).fill(value))
    return writer.take()
  }
  write(50_000, 1)
  write(50_000, 2)
  writer.rewind()
  const first = [write(50_000, 3), write(50_000, 4)]
  expect(first[0]!.buffer).toBe(first[1]!.buffer)
  writer.rewind()
  const second = [write(60_000, 5), write(40_000, 6)]
  expect(second[1]!.buffer).toBe(first[0]!.buffer)
  expect(second.map(record => new Set(record))).toEqual([new Set([5]), new Set([6])])
})
