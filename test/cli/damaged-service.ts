// A service whose files of one feed have damaged rows: a socket before the emulator that changes the
// rows of these files and passes on every other answer.

import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { buffer } from 'node:stream/consumers'
import { gunzipSync, gzipSync } from 'node:zlib'
import type { Emulator } from '../../src/emulator'

/** Within the largest range of the emulator, and beyond the end of the small files of tests. */
const WHOLE = 'bytes=0-99999999'

interface DamagedFile {
  readonly bytes: Buffer
  readonly headers: Record<string, string>
}

/**
 * @param path what the path of the damaged files ends with
 * @param damage returns the bytes of a row, whose number counts from 1, with its line end
 */
export async function damagedService(
  emulator: Emulator,
  path: string,
  damage: (row: string, number: number) => string,
) {
  const files = new Map<string, Promise<DamagedFile | undefined>>()
  const fileAt = async (url: string, headers: Record<string, string>) => {
    const answer = await emulator.fetch(url, { headers: { ...headers, range: WHOLE } })
    // A file that is not there yet, or has no rows, passes as it is.
    if (answer.status !== 200) return undefined
    const lines = gunzipSync(await answer.arrayBuffer())
      .toString()
      .split(/(?<=\n)/)
    const damaged = lines.map((line, n) => (n === 0 ? line : damage(line, n)))
    const bytes = gzipSync(damaged.join(''))
    return { bytes, headers: Object.fromEntries(answer.headers) }
  }
  const server = createServer(async (request, response) => {
    const { host: _, connection: __, 'accept-encoding': ___, ...rest } = request.headers
    const headers = rest as Record<string, string>
    const url = `http://emulator${request.url}`
    const { method = 'GET' } = request
    const isDamaged = new URL(url).pathname.endsWith(path)
    if (isDamaged && !files.has(url)) files.set(url, fileAt(url, headers))
    const file = isDamaged ? await files.get(url) : undefined
    if (file === undefined) {
      files.delete(url)
      const body = method === 'GET' ? null : await buffer(request)
      const answer = await emulator.fetch(url, { method, headers, body })
      response.writeHead(answer.status, Object.fromEntries(answer.headers))
      response.end(Buffer.from(await answer.arrayBuffer()))
      return
    }
    const [, from = '0', to = ''] = /(\d+)-(\d*)/.exec(headers.range ?? '') ?? []
    const end = Math.min(Number(to || file.bytes.length), file.bytes.length - 1)
    const part = file.bytes.subarray(Number(from), end + 1)
    response.writeHead(part.length === file.bytes.length ? 200 : 206, {
      ...file.headers,
      'content-length': String(part.length),
      'content-range': `${from}-${end}/${file.bytes.length}`,
    })
    response.end(part)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const close = async () => {
    server.closeAllConnections()
    server.close()
    await once(server, 'close')
  }
  return { url, close }
}
