// A proxy before a server of PostgreSQL that ends or stalls one connection, at the Nth block of bytes
// that passes it. A client and a server that wait for each other send about one block for each call.

import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'

/**
 * How the connection ends: its block is lost, or is the last to arrive, or an administrator ends the
 * connection after it; or nothing passes it any more, and it stays open until the client goes.
 */
export type Cut = 'lost' | 'last' | 'terminated' | 'stalled'

export interface CuttingProxy {
  readonly url: string
  /** True once the connection has ended. */
  readonly isDone: boolean
  cutAt(block: number, cut: Cut): void
  close(): Promise<void>
}

const TERMINATED = 'SFATAL\0C57P01\0Mterminating connection due to administrator command\0\0'

export async function cuttingProxy(serverUrl: string): Promise<CuttingProxy> {
  const { hostname, port } = new URL(serverUrl)
  const sockets = new Set<Socket>()
  let blocksLeft = 0
  let cut: Cut = 'lost'
  const server = createServer(client => {
    const upstream = connect({ host: hostname, port: Number(port || 5432) })
    for (const socket of [client, upstream]) {
      sockets.add(socket)
      socket.on('error', () => {})
      socket.on('close', () => [client, upstream].forEach(each => each.destroy()))
    }
    const passTo = (receiver: Socket) => (bytes: Buffer) => {
      if (blocksLeft-- !== 1) return void receiver.write(bytes)
      for (const socket of [client, upstream]) socket.removeAllListeners('data')
      if (cut === 'stalled') return void [client, upstream].forEach(each => each.resume())
      if (cut === 'lost') return void client.destroy()
      receiver.write(bytes)
      client.end(cut === 'terminated' ? errorResponse(TERMINATED) : '')
      upstream.end()
    }
    client.on('data', passTo(upstream))
    upstream.on('data', passTo(client))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const url = new URL(serverUrl)
  url.port = String((server.address() as AddressInfo).port)
  return {
    url: url.href,
    get isDone() {
      return blocksLeft <= 0
    },
    cutAt: (block, how) => {
      blocksLeft = block
      cut = how
    },
    close: async () => {
      for (const socket of sockets) socket.destroy()
      server.close()
      await once(server, 'close')
    },
  }
}

function errorResponse(text: string): Buffer {
  const head = Buffer.from('E\0\0\0\0')
  head.writeUInt32BE(4 + text.length, 1)
  return Buffer.concat([head, Buffer.from(text)])
}
