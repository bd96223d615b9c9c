// Feed files with other content: the whole file of the service, changed, compressed again, and sent
// by ranges. For the option `between` of emulated().

import { gunzipSync, gzipSync } from 'node:zlib'
import type { FetchLike } from '../../src/service/http/fetch-transport'
import { randomNumbers } from '../engine/codec/gzip/deflate-mutants'
import type { EmulatedOptions } from './emulated'

/** @param change gets the text of a file and the address that it was asked for under */
export function rewritten(
  change: (text: string, url: string) => string,
): NonNullable<EmulatedOptions['between']> {
  const files = new Map<string, Promise<{ response: Response; body: Buffer }>>()
  const whole = async (request: Request, forward: FetchLike) => {
    const headers = new Headers(request.headers)
    headers.set('Range', 'bytes=0-99999999')
    const response = await forward(new Request(request.url, { headers }))
    const body = Buffer.from(await response.arrayBuffer())
    if (!response.ok || body.length === 0) return { response, body }
    const text = gunzipSync(body).toString()
    return { response, body: gzipSync(change(text, request.url)) }
  }
  return async (request, forward) => {
    const range = request.headers.get('Range')
    if (range === null) return forward(request)
    const file = files.get(request.url) ?? whole(request, forward)
    const { response, body } = await file
    const { status, headers: sent } = response
    if (!response.ok || body.length === 0)
      return new Response(body.length === 0 ? null : body, { status, headers: sent })
    files.set(request.url, file)
    const [first = 0, last = body.length] = range.match(/\d+/g)!.map(Number)
    const part = body.subarray(first, last + 1)
    const headers = new Headers(sent)
    headers.delete('ETag')
    headers.set('Content-Length', String(part.length))
    headers.set('Content-Range', `bytes ${first}-${first + part.length - 1}/${body.length}`)
    return new Response(part, { status: 206, headers })
  }
}

/** Texts that are no value of some type of cells. */
const BAD_TEXTS = [
  '12,50',
  '10+',
  'yes',
  '2026-03-01',
  '%%%',
  '+5',
  '99999999999',
  'COUNTRY:;X:;',
  'a:b',
]

/**
 * Returns a change that writes such texts into about every third row, each time the same ones for a
 * seed and a file.
 * @param columns the columns to choose from
 */
export function badCells(
  seed: number,
  columns: readonly string[],
  isWanted: (url: string) => boolean = () => true,
): (text: string, url: string) => string {
  const wanted = columns.map(name => name.toLowerCase())
  return (text, url) => {
    if (!isWanted(url)) return text
    const next = randomNumbers(
      Buffer.from(url).reduce((sum, byte) => Math.imul(sum, 31) + byte, seed),
    )
    const [header = '', ...lines] = text.split('\n')
    const places = header
      .split('\t')
      .flatMap((name, at) => (wanted.includes(name.trim().toLowerCase()) ? [at] : []))
    return [header, ...lines.map(line => withBadCell(line, places, next))].join('\n')
  }
}

function withBadCell(line: string, places: readonly number[], next: (below: number) => number) {
  const cells = line.split('\t')
  // A row of which only the removal is known has no other cells.
  const isWhole = !line.includes('"') && cells.filter(cell => cell !== '').length > 4
  if (!isWhole || places.length === 0 || next(3) > 0) return line
  cells[places[next(places.length)]!] = BAD_TEXTS[next(BAD_TEXTS.length)]!
  return cells.join('\t')
}
