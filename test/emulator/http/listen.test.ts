import { request } from 'node:http'
import { describe, expect, test, vi } from 'vitest'
import { createEmulator } from '../../../src/emulator'
import { bodyOf, client, token } from '../emulator-client'

const ITEM = '/item?feed_scope=ALL_ACTIVE&category_id=220'
const handles = () => process.getActiveResourcesInfo().filter(name => name.startsWith('TCP')).length

async function onSocket(options: Parameters<typeof client>[0] = {}) {
  const { emulator, get } = await client(options)
  const server = await emulator.listen()
  const authorization = `Bearer ${await token(emulator, server.url, sent => fetch(sent))}`
  const headers = { authorization, 'X-MKT-C-MARKETPLACE-ID': 'MKT_US' }
  return { emulator, get, server, headers, url: `${server.url}${emulator.feedBasePath}${ITEM}` }
}

describe('listen', () => {
  test('the bytes and headers are the same in process and on a socket', async () => {
    const { emulator, get, headers, url } = await onSocket({
      world: { seed: 7, items: 3_000 },
      cache: { memoryFileBytes: 1_000 },
    })
    for (const range of ['bytes=0-99999999', 'bytes=100-300', 'bytes=300000-300000']) {
      const [inProcess, socket] = await Promise.all([
        get(ITEM, { range }),
        fetch(url, { headers: { ...headers, range, 'accept-encoding': 'identity' } }),
      ])
      expect(socket.status).toBe(inProcess.status)
      for (const name of ['content-range', 'content-length', 'last-modified', 'content-type']) {
        expect(socket.headers.get(name)).toBe(inProcess.headers.get(name))
      }
      expect((await bodyOf(socket)).equals(await bodyOf(inProcess))).toBe(true)
    }
    await emulator.close()
  })

  test('close leaves no socket open, destroys an unfinished answer, and can be called again', async () => {
    const before = handles()
    const { emulator, server, headers, url } = await onSocket({
      world: { seed: 7, items: 60_000 },
      format: { gzipLevel: 0 },
    })
    const cut = new Promise<string>(resolve => {
      const asked = request(
        url,
        { headers: { ...headers, range: 'bytes=0-90000000' } },
        response => {
          response.once('data', () => {
            response.pause()
            void emulator.close().then(() => response.resume())
          })
          response.once('error', error => resolve((error as NodeJS.ErrnoException).code ?? ''))
        },
      )
      asked.on('error', () => {})
      asked.end()
    })
    expect(await cut).toBe('ECONNRESET')
    await Promise.all([server.close(), emulator.close()])
    await new Promise(resolve => setTimeout(resolve, 20))
    expect(handles()).toBeLessThanOrEqual(before)
    await expect(fetch(server.url)).rejects.toThrow()
  })

  test('a port that is in use is a typed error with the host, the port and the reason', async () => {
    const emulator = createEmulator({ world: { seed: 1, items: 1 } })
    const { url } = await emulator.listen()
    const port = Number(new URL(url).port)
    await expect(emulator.listen({ port })).rejects.toMatchObject({
      code: 'LISTEN_FAILED',
      message: expect.stringContaining(`port ${port}: EADDRINUSE`),
      context: { host: '127.0.0.1', port, reason: 'EADDRINUSE' },
    })
    await expect(emulator.listen({ host: 'no.such.host.invalid' })).rejects.toMatchObject({
      code: 'LISTEN_FAILED',
    })
    await emulator.close()
  })

  test.each([
    [{ port: -1 }, 'port'],
    [{ port: 99_999 }, 'port'],
    [{ port: 1.5 }, 'port'],
    [{ port: '80' as never }, 'port'],
    [{ host: '' }, 'host'],
    [{ prot: 1 } as never, 'prot'],
    [null as never, 'options'],
  ])('%j is refused', async (options, option) => {
    const emulator = createEmulator({ world: { seed: 1, items: 1 } })
    await expect(emulator.listen(options)).rejects.toMatchObject({
      code: 'OPTION_INVALID',
      context: { option },
    })
  })

  test('a listener that starts while the emulator closes does not stay', async () => {
    const emulator = createEmulator({ world: { seed: 1, items: 1 } })
    const listening = emulator.listen()
    await emulator.close()
    await expect(fetch((await listening).url)).rejects.toThrow()
  })

  test('the Request and Response of the process stay unchanged', async () => {
    const [before, emulator] = [
      [globalThis.Request, globalThis.Response],
      createEmulator({ world: { seed: 1, items: 1 } }),
    ]
    await emulator.listen()
    expect([globalThis.Request, globalThis.Response]).toEqual(before)
    await emulator.close()
  })

  test.each([
    ['hono', 'fetch'],
    ['hono', 'listen'],
    ['@hono/node-server', 'listen'],
  ] as const)(
    'without %s an emulator can be made, and %s is a typed error that says what to install',
    async (name, method) => {
      vi.resetModules()
      vi.doMock(name, () => {
        throw new Error('Cannot find package')
      })
      const { createEmulator: create } = await import('../../../src/emulator')
      const emulator = create({ world: { seed: 1, items: 1 } })
      const used =
        method === 'listen' ? emulator.listen() : emulator.fetch('http://emulator/openapi.json')
      await expect(used).rejects.toMatchObject({
        code: 'DEPENDENCY_MISSING',
        message: expect.stringContaining('npm install hono @hono/node-server'),
        context: { package: name },
      })
      vi.doUnmock(name)
      await emulator.close()
    },
  )

  test('the emulator works in process without the package of the socket', async () => {
    vi.resetModules()
    vi.doMock('@hono/node-server', () => {
      throw new Error('Cannot find package')
    })
    const { createEmulator: create } = await import('../../../src/emulator')
    const emulator = create({ world: { seed: 1, items: 1 } })
    expect((await emulator.fetch('http://emulator/openapi.json')).status).toBe(200)
    vi.doUnmock('@hono/node-server')
    await emulator.close()
  })

  test('HEAD has the headers and takes nothing of the body', async () => {
    const { emulator, headers, url } = await onSocket({ cache: { memoryFileBytes: 10 } })
    const response = await fetch(url, {
      method: 'HEAD',
      headers: { ...headers, range: 'bytes=0-9' },
    })
    expect([response.status, (await bodyOf(response)).length]).toEqual([206, 0])
    await emulator.close()
  })
})
