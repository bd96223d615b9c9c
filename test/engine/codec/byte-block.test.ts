import { runInNewContext } from 'node:vm'
import { describe, expect, test } from 'vitest'
import { byteBlock } from '../../../src/engine/codec/byte-block'

const refused = (received: string) =>
  expect.objectContaining({
    code: 'STAGE_INPUT_INVALID',
    message: expect.stringContaining(
      `AnyStage takes blocks of bytes (Uint8Array or Buffer), and was given ${received}`,
    ),
    context: { stage: 'AnyStage', expected: 'blocks of bytes (Uint8Array or Buffer)', received },
  })

describe('fault 102: a stage over bytes names the types that it takes', () => {
  test.each([
    ['a Uint8Array', new Uint8Array(3)],
    ['a Buffer', Buffer.from('abc')],
    ['an empty block', new Uint8Array()],
    ['a block of shared memory', new Uint8Array(new SharedArrayBuffer(3))],
    ['a Uint8Array of another realm', runInNewContext('new Uint8Array(3)')],
  ])('%s is taken as it is', (_, block) => {
    expect(byteBlock('AnyStage', block)).toBe(block)
  })

  test.each<[string, unknown, string]>([
    ['text', 'a\tb\n', 'a string ("a\\tb\\n")'],
    ['a Uint16Array', new Uint16Array(2), 'a Uint16Array'],
    ['an Int8Array', new Int8Array(2), 'an Int8Array'],
    ['a DataView', new DataView(new ArrayBuffer(2)), 'a DataView'],
    ['an ArrayBuffer', new ArrayBuffer(2), 'an ArrayBuffer'],
    ['an object', { [Symbol.toStringTag]: 'Uint8Array' }, 'an object'],
    ['a list of bytes', [1, 2], 'an array of 2'],
    ['a number', 3, '3'],
    ['null', null, 'null'],
    ['nothing', undefined, 'undefined'],
  ])('%s is refused', (_, block, received) => {
    expect(() => byteBlock('AnyStage', block)).toThrow(refused(received))
  })

  test('the message says what the caller has to do', () => {
    expect(() => byteBlock('AnyStage', 'text')).toThrow(/without an encoding/)
    expect(() => byteBlock('AnyStage', new Uint16Array(1))).toThrow(
      /new Uint8Array\(block\.buffer, block\.byteOffset/,
    )
    expect(() => byteBlock('AnyStage', new ArrayBuffer(1))).toThrow(/new Uint8Array\(block\)/)
  })
})
