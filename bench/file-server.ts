// Serves one file by byte ranges from a socket of this machine: plain node:http, read from disk for each request.

import { createReadStream } from 'node:fs'
import { stat } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

const READ_BYTES = 1024 * 1024

export interface FileServer {
  readonly url: string
  close(): Promise<void>
}

export async function serveFile(path: string): Promise<FileServer> {
  const { size, mtime } = await stat(path)
  const server = createServer((request, response) => {
    const [, from, to] = /^bytes=(\d+)-(\d+)$/.exec(request.headers.range ?? '') ?? []
    const start = Number(from ?? 0)
    const end = Math.min(Number(to ?? size - 1), size - 1)
    if (start > end) {
      response.writeHead(416, { 'content-range': `bytes */${size}` }).end()
      return
    }
    response.writeHead(from === undefined ? 200 : 206, {
      'content-type': 'application/gzip',
      'content-length': end - start + 1,
      'last-modified': mtime.toUTCString(),
      ...(from !== undefined && { 'content-range': `bytes ${start}-${end}/${size}` }),
    })
    const file = createReadStream(path, { start, end, highWaterMark: READ_BYTES })
    file.once('error', error => response.destroy(error)).pipe(response)
    response.once('close', () => file.destroy())
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  const close = async () => {
    server.closeAllConnections()
    await new Promise(resolve => server.close(resolve))
  }
  return { url: `http://127.0.0.1:${port}/`, close }
}
