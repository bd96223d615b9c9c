// A Node stream as the body of a response: both ways of reading it, its failures typed.

import { finished, type Readable } from 'node:stream'
import type { RangeResponse } from '../stages/range-transport'
import { asTransportError } from '../stages/transport-error'

/** @param url for errors */
export function bodyOfStream(stream: Readable, url: string): Required<Pick<RangeResponse, 'body' | 'receive' | 'discard'>> {
  // A discarded stream emits an error that has nowhere else to go.
  stream.on('error', () => {})
  return {
    body: partsOf(stream, url),
    receive: onPart => receive(stream, url, onPart),
    discard: () => void stream.destroy(),
  }
}

async function* partsOf(stream: AsyncIterable<Uint8Array>, url: string): AsyncGenerator<Uint8Array, void, void> {
  try {
    yield* stream
  } catch (error) {
    throw asTransportError(error, url)
  }
}

function receive(stream: Readable, url: string, onPart: (bytes: Uint8Array) => void): Promise<void> {
  return new Promise((resolve, reject) => {
    finished(stream, { writable: false }, error => (error ? reject(asTransportError(error, url)) : resolve()))
    stream.on('data', onPart)
  })
}
