// Serves the files of a folder on a free port of this machine.

import { once } from 'node:events'
import { createReadStream } from 'node:fs'
import { stat } from 'node:fs/promises'
import { createServer } from 'node:http'
import { extname, join, normalize } from 'node:path'

const TYPES = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript',
  '.css': 'text/css',
  '.json': 'application/json',
  '.svg': 'image/svg+xml',
  '.woff2': 'font/woff2',
}

export async function serveFolder(folder) {
  const server = createServer(async ({ url }, response) => {
    const { pathname } = new URL(url, 'http://localhost')
    const path = join(folder, normalize(decodeURIComponent(pathname)), pathname.endsWith('/') ? 'index.html' : '')
    const found = await stat(path).catch(() => undefined)
    if (!found?.isFile()) return response.writeHead(404).end()
    response.writeHead(200, { 'content-type': TYPES[extname(path)] ?? 'text/plain; charset=utf-8' })
    createReadStream(path).pipe(response)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const close = () => new Promise(resolve => {
    server.closeAllConnections()
    server.close(resolve)
  })
  return { origin: `http://127.0.0.1:${server.address().port}`, close }
}
