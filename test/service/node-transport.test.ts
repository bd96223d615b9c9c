import { once } from 'node:events'
import { Agent, createServer } from 'node:http'
import { createServer as createSocketServer } from 'node:net'
import { expect, test } from 'vitest'
import { NodeTransport } from '../../src/service/node-transport'

// What both transports do is tested in http-transport.test.ts.

test('fault 102: a name that is no option is refused at the call', () => {
  expect(() => new NodeTransport({ agents: new Agent() } as never)).toThrow(
    expect.objectContaining({ code: 'OPTION_INVALID', message: 'agents is not an option: did you mean agent?' }),
  )
})

test('the caller’s agent is used, and left open', async () => {
  const server = createServer((_, response) => response.end('here'))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  let connections = 0
  server.on('connection', () => connections++)
  const agent = new Agent({ keepAlive: true })
  const transport = new NodeTransport({ agent })
  const { port } = server.address() as { port: number }
  const asked = { url: `http://127.0.0.1:${port}`, headers: {}, signal: new AbortController().signal }
  await transport.close()
  for (let n = 0; n < 2; n++) {
    const response = await transport.send(asked)
    const parts: Uint8Array[] = []
    for await (const part of response.body) parts.push(part)
    expect(Buffer.concat(parts).toString()).toBe('here')
  }
  expect(connections).toBe(1)
  agent.destroy()
  await new Promise(resolve => server.close(resolve))
})

test('https is spoken to https addresses', async () => {
  const server = createServer((_, response) => response.end('here'))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const transport = new NodeTransport()
  const { port } = server.address() as { port: number }
  const asked = { url: `https://127.0.0.1:${port}`, headers: {}, signal: new AbortController().signal }
  await expect(transport.send(asked)).rejects.toMatchObject({
    code: 'HTTP_TRANSPORT',
    cause: { code: expect.stringMatching(/SSL|EPROTO|RESET/) },
  })
  await transport.close()
  server.closeAllConnections()
  server.close()
})

test.each([
  ['101', 'HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: Upgrade\r\n\r\n'],
  ['101 without an upgrade', 'HTTP/1.1 101 Switching Protocols\r\n\r\n'],
  ['103 and the end', 'HTTP/1.1 103 Early Hints\r\n\r\n'],
  ['nothing and the end', ''],
])('fault 96: %s is no response, and a failed connection at once', async (_, answer) => {
  const server = createSocketServer(socket => {
    socket.on('error', () => {})
    socket.once('data', () => socket.end(answer))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const transport = new NodeTransport()
  const { port } = server.address() as { port: number }
  // No time limit stands behind this: without an end of its own the test would not end.
  const sending = transport.send({ url: `http://127.0.0.1:${port}/f`, headers: {}, signal: new AbortController().signal })
  await expect(sending).rejects.toMatchObject({ code: 'HTTP_TRANSPORT', retryable: true, context: { url: `http://127.0.0.1:${port}/f` } })
  await transport.close()
  server.close()
})
