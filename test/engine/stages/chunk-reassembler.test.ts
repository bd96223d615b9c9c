import { expect, test } from 'vitest'
import { ChunkReassembler } from '../../../src/engine/stages/chunk-reassembler'

const piece = (offset: number, text: string) => ({ offset, bytes: new TextEncoder().encode(text) })

async function textOf(
  reassembler: ChunkReassembler,
  ...pieces: ReturnType<typeof piece>[]
): Promise<string> {
  for (const one of pieces) reassembler.write(one)
  reassembler.end()
  const parts: Uint8Array[] = []
  for await (const part of reassembler) parts.push(part)
  return Buffer.concat(parts).toString()
}

test('fault 33: pieces out of order come out in order', async () => {
  expect(
    await textOf(new ChunkReassembler(), piece(6, 'ghi'), piece(3, 'def'), piece(0, 'abc')),
  ).toBe('abcdefghi')
  expect(await textOf(new ChunkReassembler())).toBe('')
})

test('fault 33: bounded by the window', async () => {
  const reading = textOf(
    new ChunkReassembler({ windowBytes: 4 }),
    piece(1, 'bcd'),
    piece(4, 'e'),
    piece(0, 'a'),
  )
  await expect(reading).rejects.toMatchObject({ code: 'CHUNK_WINDOW_EXCEEDED' })
})

test('the end of input is checked', async () => {
  await expect(textOf(new ChunkReassembler(), piece(1, 'b'))).rejects.toMatchObject({
    code: 'CHUNK_GAP',
  })
  await expect(
    textOf(new ChunkReassembler({ totalBytes: 3 }), piece(0, 'ab')),
  ).rejects.toMatchObject({ code: 'CHUNK_TOTAL_MISMATCH' })
  await expect(textOf(new ChunkReassembler(), piece(0, 'ab'), piece(1, 'b'))).rejects.toMatchObject(
    { code: 'CHUNK_OVERLAP' },
  )
})

test('options are checked at construction', () => {
  expect(() => new ChunkReassembler({ windowBytes: 0 })).toThrow(
    expect.objectContaining({ code: 'OPTION_INVALID' }),
  )
})
