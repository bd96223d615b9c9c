// Compares the inflater with node:zlib and with Gunzip, however the input is cut.

import { createHash } from 'node:crypto'
import { gunzipSync, gzipSync } from 'node:zlib'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { createInflater, type InflaterOptions } from '../../../src/engine/push/inflater'
import { runGunzip } from '../stages/gunzip-run'
import { cutAt, pushed, shownError } from './pushed'

const places = fc.array(fc.nat(4_000), { maxLength: 12 })
const level = fc.integer({ min: 0, max: 9 })
/** Members of one file, with zeros behind the last. */
const gzipFile = fc
  .tuple(
    fc.array(
      fc.tuple(
        fc.oneof(
          fc.uint8Array({ maxLength: 600 }),
          fc.string({ maxLength: 40 }).map(text => Buffer.from(text.repeat(50))),
        ),
        level,
      ),
      { minLength: 1, maxLength: 4 },
    ),
    fc.nat(20),
  )
  .map(([members, zeros]) =>
    Buffer.concat([
      ...members.map(([content, level]) => gzipSync(content, { level })),
      Buffer.alloc(zeros),
    ]),
  )

function inflated(pieces: readonly Uint8Array[], options: InflaterOptions = {}) {
  const inflater = createInflater(options)
  const { outputs, error } = pushed(inflater, pieces)
  return {
    output: Buffer.concat(outputs),
    sizes: outputs.map(each => each.length),
    error,
    inflater,
  }
}

/** About 3 MB of text that deflate shortens little, from a chain of hashes. */
function largeText(): Buffer {
  const lines = Array.from({ length: 50_000 }, (_, n) =>
    createHash('sha256').update(String(n)).digest('base64'),
  )
  return Buffer.from(lines.join('\n'))
}

describe('the output', () => {
  test('is that of node:zlib, however the input is cut', () => {
    fc.assert(
      fc.property(gzipFile, places, (file, cuts) => {
        const { output, error, inflater } = inflated(cutAt(file, cuts))
        expect([output, error]).toEqual([gunzipSync(file), undefined])
        const { members, verifiedMembers, compressedBytes, outputBytes } = inflater.facts
        expect([verifiedMembers, compressedBytes, outputBytes]).toEqual([
          members,
          file.length,
          output.length,
        ])
      }),
    )
  })

  test.each([1, 7, 65_536, 300_000])(
    'is whole in blocks of %d bytes that are overwritten',
    size => {
      const content = size < 10 ? Buffer.from('several blocks '.repeat(2_000)) : largeText()
      const file = Buffer.concat([gzipSync(content), gzipSync(content, { level: 1 })])
      const cuts = Array.from({ length: Math.floor(file.length / size) }, (_, n) => (n + 1) * size)
      const { output, error } = inflated(cutAt(file, cuts))
      expect(error).toBeUndefined()
      expect(output.equals(Buffer.concat([content, content]))).toBe(true)
    },
  )

  test('belongs to the caller', () => {
    const content = largeText()
    const inflater = createInflater()
    const outputs = [...inflater.push(gzipSync(content)), ...inflater.end()]
    expect(Buffer.concat(outputs).equals(content)).toBe(true)
    expect(new Set(outputs.map(({ buffer }) => buffer)).size).toBe(outputs.length)
  })

  test('comes with the bytes that it is made of', () => {
    const file = gzipSync('text')
    const inflater = createInflater()
    expect(Buffer.concat([...inflater.push(file.subarray(0, -8))]).toString()).toBe('text')
    expect([...inflater.push(file.subarray(-8)), ...inflater.end()]).toEqual([])
  })

  test('comes in blocks of bounded size, whatever the input inflates to', () => {
    const bomb = gzipSync(Buffer.alloc(20_000_000))
    const { sizes, error } = inflated([bomb], { maxRatio: Number.POSITIVE_INFINITY })
    expect([error, sizes.reduce((sum, size) => sum + size)]).toEqual([undefined, 20_000_000])
    expect(Math.max(...sizes)).toBeLessThan(600_000)
    const capped = inflated([bomb])
    expect(capped.error).toMatchObject({ code: 'GZIP_LIMIT', context: { option: 'maxRatio' } })
    expect(capped.output.length).toBeLessThan(2_000_000)
  })
})

describe('the errors', () => {
  const stageError = async (file: Uint8Array) =>
    shownError((await runGunzip([file], { engine: 'wasm', worker: false })).error)

  test('are those of Gunzip for a changed byte, however the input is cut', async () => {
    await fc.assert(
      fc.asyncProperty(
        gzipFile,
        fc.nat(),
        fc.integer({ min: 1, max: 255 }),
        places,
        async (file, at, change, cuts) => {
          file[at % file.length]! ^= change
          expect(shownError(inflated(cutAt(file, cuts)).error)).toEqual(await stageError(file))
        },
      ),
    )
  })

  test('are those of Gunzip for a cut at every byte', async () => {
    const file = Buffer.concat([gzipSync('a'.repeat(100)), gzipSync('second'), Buffer.alloc(3)])
    for (let length = 0; length < file.length; length++) {
      const cut = file.subarray(0, length)
      expect(shownError(inflated(cutAt(cut, [length >> 1])).error)).toEqual(await stageError(cut))
    }
  })

  test('of an input without bytes come from its end', () => {
    const inflater = createInflater()
    expect([...inflater.push(new Uint8Array())]).toEqual([])
    expect(() => [...inflater.end()]).toThrow(expect.objectContaining({ code: 'GZIP_EMPTY' }))
  })

  test('of a wrong input or option name it', () => {
    expect(() => [...createInflater().push('text' as never)]).toThrow(
      expect.objectContaining({ code: 'STAGE_INPUT_INVALID' }),
    )
    expect(() => createInflater({ engine: 'zlib' } as never)).toThrow(
      expect.objectContaining({
        code: 'OPTION_INVALID',
        context: expect.objectContaining({ option: 'engine' }),
      }),
    )
  })
})
