// What every stage over bytes takes: blocks that are Uint8Arrays, Node's Buffers among them.
// The check is made once for each block, never for each row or byte.

import { FeedError } from '../errors'
import { show } from '../options'

const EXPECTED = 'a Uint8Array (or Buffer)'

/**
 * Returns `block` when it is a Uint8Array, one of another realm included. Other typed arrays would
 * be read with each element cut to a byte, and text has no bytes before it is encoded.
 * @throws FeedError STAGE_INPUT_INVALID
 */
export function byteBlock(stage: string, block: unknown): Uint8Array {
  if (block instanceof Uint8Array || nameOfBuffer(block) === 'Uint8Array')
    return block as Uint8Array
  const received = nameOfBuffer(block) ?? show(block)
  throw new FeedError(
    'STAGE_INPUT_INVALID',
    `${stage} takes blocks that are ${EXPECTED}, not ${received}${adviceFor(block)}`,
    {
      stage,
      expected: EXPECTED,
      received,
    },
  )
}

/** `Uint16Array`, `DataView`, `ArrayBuffer` and their like; undefined for what is none of them. */
function nameOfBuffer(value: unknown): string | undefined {
  if (typeof value !== 'object' || value === null) return undefined
  const name = Object.prototype.toString.call(value).slice('[object '.length, -1)
  return ArrayBuffer.isView(value) || name === 'ArrayBuffer' || name === 'SharedArrayBuffer'
    ? name
    : undefined
}

function adviceFor(value: unknown): string {
  if (typeof value === 'string')
    return ': read the file without an encoding, or encode the text with Buffer.from(text)'
  if (ArrayBuffer.isView(value))
    return ': give new Uint8Array(block.buffer, block.byteOffset, block.byteLength)'
  if (nameOfBuffer(value) !== undefined) return ': give new Uint8Array(block)'
  return ''
}
