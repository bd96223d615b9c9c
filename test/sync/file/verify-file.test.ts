import { gzipSync } from 'node:zlib'
import { describe, expect, test } from 'vitest'
import { itemSchema } from '../../../src/schema/feed-schemas'
import { verifyFile } from '../../../src/sync/file/verify-file'
import { tsv } from '../../tsv-text'
import { SimulatedMachine } from '../simulated-machine'

const text = tsv([
  ['itemId', 'title'],
  ...Array.from({ length: 9_000 }, (_, n) => [`v1|${n}|0`, `title ${n}`]),
])
const whole = gzipSync(text)

async function verified(bytes: Uint8Array, signal = new AbortController().signal): Promise<number> {
  const file = await new SimulatedMachine(0).start().files.edit('/file')
  await file.write(0, bytes)
  return verifyFile({ file, schema: itemSchema, signal })
}

test('a whole file has the size of its content', async () => {
  expect(await verified(whole)).toBe(text.length)
  expect(await verified(Buffer.concat([whole, gzipSync('v1|x|0\ty\n')]))).toBe(text.length + 9)
  expect(await verified(gzipSync('itemId\ttitle'))).toBe(12)
})

describe('anything but one whole file is refused', () => {
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
  await expect(verified(whole, AbortSignal.abort(new RangeError('stopped')))).rejects.toThrow(
    'stopped',
  )
})
