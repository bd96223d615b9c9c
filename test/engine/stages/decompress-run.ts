// Runs a Decompress over pieces for its tests.

import { FeedError } from '../../../src/engine/errors'
import { Decompress, type DecompressOptions } from '../../../src/engine/stages/decompress'

export async function unpacked(pieces: readonly Uint8Array[], options: DecompressOptions = {}) {
  const stage = new Decompress(options)
  const outputs: Uint8Array[] = []
  const reading = (async () => {
    try {
      for await (const output of stage) outputs.push(output)
      return undefined
    } catch (error) {
      if (FeedError.is(error)) return error
      throw error
    }
  })()
  for (const piece of pieces) stage.write(piece)
  stage.end()
  const error = await reading
  return { output: Buffer.concat(outputs), error, format: stage.format }
}

export const inBytes = (bytes: Uint8Array) =>
  Array.from(bytes, (_, at) => bytes.subarray(at, at + 1))

/** Cuts the file at every byte, and flips each byte of it. Returns the cases that gave what is wrong. */
export async function wrongSuccesses(
  file: Uint8Array,
  content: Uint8Array,
  mayFlip: (at: number) => boolean,
) {
  const wrong: string[] = []
  for (let at = 1; at < file.length; at++) {
    const { error } = await unpacked([file.subarray(0, at)])
    if (error === undefined) wrong.push(`cut at ${at}`)
  }
  for (let at = 0; at < file.length; at++) {
    if (!mayFlip(at)) continue
    for (const mask of [0x01, 0x80, 0xff]) {
      const flipped = Buffer.from(file)
      flipped[at]! ^= mask
      const { error, output } = await unpacked([flipped])
      if (error === undefined && !output.equals(content)) wrong.push(`byte ${at} ^ ${mask}`)
    }
  }
  return wrong
}
