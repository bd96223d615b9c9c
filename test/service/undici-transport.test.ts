import { once } from 'node:events'
import { createServer } from 'node:http'
import { Agent } from 'undici'
import { expect, test } from 'vitest'
import { UndiciTransport } from '../../src/service/undici-transport'

// What both transports do is tested in http-transport.test.ts.

test('the caller’s dispatcher is used, and left open', async () => {
  const server = createServer((_, response) => response.end())
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const dispatcher = new Agent()
  const transport = new UndiciTransport({ dispatcher })
  const { port } = server.address() as { port: number }
  const asked = { url: `http://127.0.0.1:${port}`, headers: {}, signal: new AbortController().signal }
  await transport.close()
  const response = await transport.send(asked)
  expect(response.status).toBe(200)
  response.discard()
  await dispatcher.close()
  await expect(transport.send(asked)).rejects.toMatchObject({ code: 'HTTP_TRANSPORT' })
  server.closeAllConnections()
  server.close()
})
