// Tests that the framing continues from a saved state in the middle of a member's data.

import { gzipSync } from 'node:zlib'
import { expect, test } from 'vitest'
import { gzipLimits } from '../../../src/codec/gzip/limits'
import { GzipMembers } from '../../../src/codec/gzip/members'
import { WasmInflate } from '../../../src/codec/gzip/wasm-inflate'

const content = Buffer.from(Array.from({ length: 3_000 }, (_, n) => `row ${n}\n`).join(''))
const limits = gzipLimits({})

/**
 * Returns the content of the file. Wherever there is a state, a new framing and a new engine
 * replace the old ones.
 */
function inflate(bytes: Uint8Array): { content: Buffer; resumed: number } {
  const blocks: Uint8Array[] = []
  let members = new GzipMembers(limits)
  let engine: WasmInflate | undefined
  let resumed = 0
  for (let at = 0; at < bytes.length; ) {
    const part = bytes.subarray(at, at + 100)
    if (!members.inData) at += members.read(part)
    else {
      const started = (engine ??= new WasmInflate(members.byteOffset))
      const before = started.usedBytes
      for (const block of started.inflate(part)) {
        members.countOutput(block, started.usedBytes, started.crc)
        blocks.push(block)
      }
      at += started.usedBytes - before
      members.dataUsed(started.usedBytes, started.ended)
      const state = members.saveState()
      if (started.ended) engine = undefined
      else if (state) {
        resumed++
        engine = new WasmInflate(state.byteOffset, started.saveState(), state.memberCrc)
        members = new GzipMembers(limits, JSON.parse(JSON.stringify(state)))
        expect(members.byteOffset).toBe(at)
      }
      if (started !== engine) started.destroy()
    }
  }
  members.end()
  engine?.destroy()
  return { content: Buffer.concat(blocks), resumed }
}

test('a file of two members is read as a whole and its trailers are compared, from every saved state', () => {
  const bytes = Buffer.concat([gzipSync(content), gzipSync(content)])
  const read = inflate(bytes)
  expect(read.content.equals(Buffer.concat([content, content]))).toBe(true)
  expect(read.resumed).toBeGreaterThan(50)
})

test('fault 39: a wrong checksum is found after a restart from a saved state too', () => {
  const bytes = Buffer.from(gzipSync(content))
  bytes[bytes.length - 8]! ^= 1
  expect(() => inflate(bytes)).toThrow(expect.objectContaining({ code: 'GZIP_CRC_MISMATCH' }))
})

test('a state cannot be saved outside the data of a member', () => {
  const members = new GzipMembers(limits)
  expect(members.saveState()).toBeUndefined()
  members.read(gzipSync(content).subarray(0, 10))
  expect([members.inData, members.saveState()]).toEqual([true, undefined])
})
