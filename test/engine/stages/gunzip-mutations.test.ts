// Long: its properties inflate thousands of damaged files.

import { deflateRawSync, gunzipSync, inflateRawSync } from 'node:zlib'
import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { feedText, gzipHeader, gzipMember, gzipTrailer } from '../codec/gzip/build-gzip'
import { runGunzip } from './gunzip-run'

const TEXT = feedText(8)
const HEADER_BYTES = 10
/**
 * The codes that a member with bad data may fail with, because its data may seem to end at another
 * byte.
 */
const FAULT =
  /^GZIP_(DATA_INVALID|TRUNCATED|CRC_MISMATCH|SIZE_MISMATCH|TRAILING_GARBAGE|HEADER_INVALID)$/

const FORMS = [
  deflateRawSync(TEXT, { level: 9 }),
  deflateRawSync(TEXT, { level: 1, strategy: 4 }), // fixed codes
  deflateRawSync(TEXT, { level: 0 }), // stored
  deflateRawSync(TEXT, { level: 6, strategy: 2 }), // literals only
]

type Change = readonly [at: number, flip: number]

const mutations = fc.tuple(
  fc.constantFrom(...FORMS),
  fc.array(fc.tuple(fc.nat(), fc.integer({ min: 1, max: 255 })), { minLength: 1, maxLength: 4 }),
)

function mutate(deflated: Buffer, changes: readonly Change[]): Buffer {
  const changed = Buffer.from(deflated)
  for (const [at, flip] of changes) changed[at % changed.length]! ^= flip
  return changed
}

function inflatedOrNothing(deflated: Buffer): { output: Buffer; used: number } | undefined {
  try {
    const { buffer, engine } = inflateRawSync(deflated, { info: true }) as unknown as {
      buffer: Buffer
      engine: { bytesWritten: number }
    }
    return { output: buffer, used: engine.bytesWritten }
  } catch {
    return undefined
  }
}

function accepts(file: Buffer): boolean {
  try {
    gunzipSync(file)
    return true
  } catch {
    return false
  }
}

describe.each(['zlib', 'wasm', 'fflate'] as const)('Gunzip with %s', engine => {
  const run = (file: Buffer) => runGunzip([file], { engine, allowNested: true })

  test('fault 52: mutated data under its old trailer fails typed, or gives exactly the original', async () => {
    await fc.assert(
      fc.asyncProperty(mutations, async ([deflated, changes]) => {
        const file = gzipMember(TEXT, { deflated: mutate(deflated, changes) })
        const { output, error } = await run(file)
        if (error) expect(error.code).toMatch(FAULT)
        else expect(output.equals(TEXT)).toBe(true)
        if (engine !== 'fflate') expect(error === undefined).toBe(accepts(file))
        else if (accepts(file)) expect(error).toBeUndefined()
      }),
      { numRuns: 400 },
    )
  })

  test('fault 52: mutated data that is still a deflate stream, under a right trailer, is inflated like node:zlib does', async () => {
    let valid = 0
    await fc.assert(
      fc.asyncProperty(mutations, async ([deflated, changes]) => {
        const mutated = mutate(deflated, changes)
        const expected = inflatedOrNothing(mutated)
        if (expected === undefined) return
        valid++
        const file = Buffer.concat([
          gzipHeader(),
          mutated.subarray(0, expected.used),
          gzipTrailer(expected.output),
        ])
        const { output, error } = await run(file)
        expect(error).toBeUndefined()
        expect(output.equals(expected.output)).toBe(true)
      }),
      { numRuns: 400 },
    )
    expect(valid).toBeGreaterThan(30)
  })

  test('fault 52: every single bit of a member, flipped', async () => {
    const content = feedText(2)
    const whole = gzipMember(content)
    for (let bit = HEADER_BYTES * 8; bit < whole.length * 8; bit++) {
      const file = Buffer.from(whole)
      file[bit >> 3]! ^= 1 << (bit & 7)
      const { output, error } = await run(file)
      // The bits that fill the last byte of the data have no meaning.
      if (accepts(file)) expect([error, output.equals(content)]).toEqual([undefined, true])
      else expect(error?.code).toMatch(FAULT)
    }
  })

  test('fault 52: random bytes in place of the data', async () => {
    await fc.assert(
      fc.asyncProperty(fc.uint8Array({ minLength: 1, maxLength: 600 }), async bytes => {
        const { error } = await run(gzipMember('content', { deflated: Buffer.from(bytes) }))
        expect(error?.code).toMatch(FAULT)
      }),
      { numRuns: 250 },
    )
  })
})
