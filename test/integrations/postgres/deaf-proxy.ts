// A proxy before a server of PostgreSQL that can lose the answer to a COMMIT: the server has
// committed, and the client never hears of it.

import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'

export interface DeafProxy {
  readonly url: string
  /** Number of the answers that were lost. */
  readonly lost: number
  loseNextCommit(): void
  close(): Promise<void>
}

export async function deafProxy(serverUrl: string): Promise<DeafProxy> {
  const { hostname, port } = new URL(serverUrl)
  const sockets = new Set<Socket>()
  let isLosing = false
  let lost = 0
  const server = createServer(client => {
    const upstream = connect({ host: hostname, port: Number(port || 5432) })
    let isDeaf = false
    for (const socket of [client, upstream]) {
      sockets.add(socket)
      socket.on('error', () => {})
      socket.on('close', () => [client, upstream].forEach(each => each.destroy()))
    }
    client.on('data', (bytes: Buffer) => {
      if (isLosing && bytes.includes('COMMIT\0')) {
        isLosing = false
        isDeaf = true
      }
      upstream.write(bytes)
    })
    upstream.on('data', (bytes: Buffer) => {
      if (!isDeaf) {
        client.write(bytes)
        return
      }
      lost++
      client.destroy()
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const url = new URL(serverUrl)
  url.port = String((server.address() as AddressInfo).port)
  return {
    url: url.href,
    get lost() {
      return lost
    },
    loseNextCommit: () => {
      isLosing = true
    },
    close: async () => {
      for (const socket of sockets) socket.destroy()
      server.close()
      await once(server, 'close')
    },
  }
}
