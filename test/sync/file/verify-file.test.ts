import { gzipSync } from 'node:zlib'
import { describe, expect, test } from 'vitest'
import { itemSchema } from '../../../src/engine/schema/feed-schemas'
import { ArrivingFile, verifyFile } from '../../../src/sync/file/verify-file'
import { tsv } from '../../tsv-text'
import { SimulatedMachine } from '../simulated-machine'

const text = tsv([
  ['itemId', 'title'],
  ...Array.from({ length: 9_000 }, (_, n) => [`v1|${n}|0`, `title ${n}`]),
])
const whole = gzipSync(text)

async function spooled(bytes: Uint8Array, signal = new AbortController().signal): Promise<number> {
  const file = await new SimulatedMachine(0).start().files.edit('/file')
  await file.write(0, bytes)
  return verifyFile(file, itemSchema, signal)
}

/** The same bytes as they arrive, in pieces of a few sizes. */
async function arriving(bytes: Uint8Array): Promise<number> {
  const file = new ArrivingFile(itemSchema)
  try {
    const sizes = [1, 10, 3_000, 64 * 1024]
    for (let at = 0, n = 0; at < bytes.length; at += sizes[n++ % sizes.length]!)
      await file.push(bytes.subarray(at, at + sizes[n % sizes.length]!))
    return await file.end()
  } finally {
    file.close()
  }
}

const WAYS = [
  ['in a spool', spooled],
  ['that arrives', arriving],
] as const

test.each(WAYS)('a whole file %s has the size of its content', async (_, verified) => {
  expect(await verified(whole)).toBe(text.length)
  expect(await verified(Buffer.concat([whole, gzipSync('v1|x|0\ty\n')]))).toBe(text.length + 9)
  expect(await verified(gzipSync('itemId\ttitle'))).toBe(12)
})

describe.each(WAYS)('anything but one whole file %s is refused', (_, verified) => {
  const changed = (offset: number) => {
    const bytes = Buffer.from(whole)
    bytes[(bytes.length + offset) % bytes.length]! ^= 1
    return bytes
  }
  test.each([
    ['its checksum', changed(-8), 'GZIP_CRC_MISMATCH'],
    ['its size', changed(-4), 'GZIP_SIZE_MISMATCH'],
    ['its end', whole.subarray(0, -1), 'GZIP_TRUNCATED'],
    ['what follows', Buffer.concat([whole, Buffer.from('x')]), 'GZIP_TRAILING_GARBAGE'],
    ['its beginning', changed(0), 'GZIP_HEADER_INVALID'],
    ['nothing in it', Buffer.alloc(0), 'GZIP_EMPTY'],
    ['no header line', gzipSync(''), 'TSV_EMPTY'],
    ['another header line', gzipSync('title\tprice\na\t1\n'), 'TSV_COLUMN_MISSING'],
    ['an unreadable header line', gzipSync('"title\n'), 'TSV_HEADER_INVALID'],
  ])('fault 39: %s', async (_, bytes, code) => {
    await expect(verified(bytes)).rejects.toMatchObject({ code })
  })
})

test('a stopped verification ends with the reason', async () => {
  await expect(spooled(whole, AbortSignal.abort(new RangeError('stopped')))).rejects.toThrow(
    'stopped',
  )
})
