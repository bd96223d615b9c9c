// Reads CSV with a header line (RFC 4180). papaparse splits the lines; this file is the adapter of
// papaparse for the command line, which cannot use the one of the CSV sink.

import { Readable } from 'node:stream'
import type { OutputRow } from './output-rows'

export async function* csvRows(
  texts: AsyncIterable<string>,
): AsyncGenerator<OutputRow, void, void> {
  const { default: papaparse } = await import('papaparse')
  const lines = papaparse.parse(papaparse.NODE_STREAM_INPUT, {
    delimiter: ',',
    skipEmptyLines: true,
  })
  const source = Readable.from(texts)
  source.on('error', error => lines.destroy(error))
  let names: readonly string[] | undefined
  for await (const cells of source.pipe(lines) as AsyncIterable<readonly string[]>) {
    if (names === undefined) names = cells
    else yield Object.fromEntries(names.map((name, n) => [name, cells[n]]))
  }
}
