// This package's inflate engine alone, on the thread that reads: the trailer is verified, the
// output dropped where the engine wrote it. A stage would hand on copies, so this is what stands
// behind the stage, from the sources.

import { gzipLimits } from '../../src/engine/codec/gzip/limits'
import { wasmEngine } from '../../src/engine/codec/gzip/wasm-inflate'
import { PAUSE, type Pause } from '../../src/engine/core/steps'
import { GzipInflation } from '../../src/engine/stages/inflation'
import { bytesCase, fileBytes } from './macro-case'

export const inflate = bytesCase({
  name: 'inflate',
  contender: 'feedmill',
  title: 'the WebAssembly engine alone, one thread, trailer verified, output dropped',
  ours: true,
  async run(path, use) {
    const inflation = new GzipInflation({ limits: gzipLimits({}), newEngine: wasmEngine() })
    const useAll = async (blocks: AsyncIterable<Uint8Array | Pause>) => {
      for await (const block of blocks) if (block !== PAUSE) use(block)
    }
    for await (const piece of fileBytes(path)) {
      const blocks = inflation.inflate(piece as Uint8Array)
      if (blocks) await useAll(blocks)
    }
    await useAll(inflation.finish())
  },
})
