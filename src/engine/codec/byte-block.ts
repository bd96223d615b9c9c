// Checks the inputs of stages over bytes: Uint8Arrays, Node's Buffers among them. A stage makes the
// check once for each block, never for each row or byte.

import { inputInvalid } from '../core/input-invalid'

const EXPECTED = 'blocks of bytes (Uint8Array or Buffer)'

/**
 * Returns `block` if it is a Uint8Array, of any realm. Other typed arrays are refused because
 * reading them would cut each element to a byte, and text because it has no bytes until a caller
 * encodes it.
 * @throws FeedError STAGE_INPUT_INVALID
 */
export function byteBlock(stage: string, block: unknown): Uint8Array {
  if (block instanceof Uint8Array || nameOfBuffer(block) === 'Uint8Array')
    return block as Uint8Array
  throw inputInvalid(stage, EXPECTED, block, adviceFor(block))
}

/** Returns the name of a kind of binary data, such as `DataView`; undefined for anything else. */
function nameOfBuffer(value: unknown): string | undefined {
  if (typeof value !== 'object' || value === null) return undefined
  const name = Object.prototype.toString.call(value).slice('[object '.length, -1)
  return ArrayBuffer.isView(value) || name === 'ArrayBuffer' || name === 'SharedArrayBuffer'
    ? name
    : undefined
}

function adviceFor(value: unknown): string | undefined {
  if (typeof value === 'string')
    return 'read the file without an encoding, or encode the text with Buffer.from(text)'
  if (ArrayBuffer.isView(value))
    return 'give new Uint8Array(block.buffer, block.byteOffset, block.byteLength)'
  if (nameOfBuffer(value) !== undefined) return 'give new Uint8Array(block)'
  return undefined
}
