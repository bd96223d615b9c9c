// What a caller may inspect, as blocks of bytes: a path, a URL, or anything that gives bytes.

import type { PipelineOptions } from '../engine/index'
import {
  byteBlock,
  ChunkReassembler,
  FileSource,
  filePath,
  type PipelineSource,
  pipeline,
  printableUrl,
  RangeFetcher,
  requestUrl,
} from '../engine/index'
import { NodeTransport } from '../service/index'

/**
 * A path, an http or https URL without user info, or a source of byte blocks: an iterable, a stream
 * or a pipeline.
 */
export type InspectSource = string | URL | PipelineSource<Uint8Array>

export interface ByteSource {
  /** The source as reports name it. */
  readonly name: string
  /** The blocks. It can be called once. */
  blocks(): AsyncGenerator<Uint8Array, void, void>
}

/** @throws FeedError OPTION_INVALID */
export function byteSource(source: InspectSource, options: PipelineOptions): ByteSource {
  if (source instanceof URL || (typeof source === 'string' && /^https?:\/\//i.test(source)))
    return remoteFile(requestUrl(source, 'source'), options)
  if (typeof source === 'string') {
    const path = filePath('source', source)
    return named(path, pipeline(new FileSource(path), options))
  }
  return named('bytes', pipeline(source as () => AsyncIterable<Uint8Array>, options))
}

function named(name: string, pipe: { batches(): AsyncIterable<Uint8Array> }): ByteSource {
  return {
    name,
    async *blocks() {
      for await (const block of pipe.batches()) yield byteBlock('inspect', block)
    },
  }
}

function remoteFile(url: URL, options: PipelineOptions): ByteSource {
  return {
    name: printableUrl(url),
    async *blocks() {
      const transport = new NodeTransport()
      try {
        yield* pipeline(new RangeFetcher({ url, transport }), options)
          .to(new ChunkReassembler())
          .batches()
      } finally {
        await transport.close()
      }
    },
  }
}
