// A sink that writes bytes as they are.

import { byteBlock } from '../codec/stage-input'
import { is, type OptionTable, readOptions } from '../options'
import type { Sink } from '../pipeline/sink'
import { ByteOutput } from './byte-output'
import type { SinkTarget } from './destination'
import { sinkOfRuns } from './sink-of-runs'

export interface ByteSinkOptions {
  /** `gzip` compresses the file. Default: no compression. */
  readonly compress?: 'gzip'
}

const NAME = 'bytes'
const OPTIONS = { compress: [is.choice('gzip')] } satisfies OptionTable<ByteSinkOptions>

/**
 * Makes a sink that writes blocks of bytes one after another: the gzip bytes of a download
 * (`compressed()`), or its TSV text (`bytes()`).
 *
 * The file appears when the pipeline has succeeded; before, and after a failure, `target` stays as
 * it was. The sink writes to `<name>.<16 hexadecimal digits>.partial` in the same folder. A
 * symbolic link stays, and the file that it points to is replaced. A device, a FIFO or a stream
 * gets the bytes as they come.
 * @param target the path of the file, in an existing folder; or a Node stream, which the sink does
 * not end
 * @throws FeedError OPTION_INVALID at the call; SINK_FAILED; STAGE_INPUT_INVALID for a block that is
 * no Uint8Array
 * @example
 * ```ts
 * import { readFileSync } from 'node:fs'
 * import { byteSink, pipeline } from 'feedmill'
 *
 * await pipeline([Buffer.from('one '), Buffer.from('two')]).run(byteSink('words.txt'))
 * console.log(readFileSync('words.txt', 'utf8'))
 * // => one two
 * ```
 */
export function byteSink(target: SinkTarget, options: ByteSinkOptions = {}): Sink<Uint8Array> {
  const { compress } = readOptions(options, OPTIONS)
  const newOutput = () => new ByteOutput(target, NAME, compress !== undefined)
  return sinkOfRuns(NAME, newOutput(), () => {
    const output = newOutput()
    return {
      open: () => output.open(),
      write: block => output.write(byteBlock(NAME, block)),
      prepare: () => output.prepare(),
      commit: () => output.commit(),
      abort: () => output.abort(),
    }
  })
}
