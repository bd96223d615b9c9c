// Serves one file by byte ranges from a socket of this machine: plain node:http. The file is read
// before the first request: the server shares the cores with what is measured, and what its disk
// costs is no part of that.

import { readFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

export interface FileServer {
  readonly url: string
  close(): Promise<void>
}

export async function serveFile(path: string): Promise<FileServer> {
  const file = await readFile(path)
  const server = createServer((request, response) => {
    const [, from, to] = /^bytes=(\d+)-(\d+)$/.exec(request.headers.range ?? '') ?? []
    const start = Number(from ?? 0)
    const end = Math.min(Number(to ?? file.length - 1), file.length - 1)
    if (start > end) {
      response.writeHead(416, { 'content-range': `bytes */${file.length}` }).end()
      return
    }
    response.writeHead(from === undefined ? 200 : 206, {
      'content-type': 'application/gzip',
      'content-length': end - start + 1,
      // The date of a file that was just written would prove nothing of its ranges.
      etag: '"1"',
      ...(from !== undefined && { 'content-range': `bytes ${start}-${end}/${file.length}` }),
    })
    response.end(file.subarray(start, end + 1))
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  const close = async () => {
    server.closeAllConnections()
    await new Promise(resolve => server.close(resolve))
  }
  return { url: `http://127.0.0.1:${port}/`, close }
}
