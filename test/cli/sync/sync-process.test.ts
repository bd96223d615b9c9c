// Runs the built `feedmill sync` in a process of its own, and reads what it prints while it waits.

import { once } from 'node:events'
import { rmSync } from 'node:fs'
import { mkdtemp } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type BuiltCommand, builtCommand, locksOf } from '../built'
import { credentialsFile } from '../served'

let built: BuiltCommand
let folder: string
beforeAll(async () => {
  built = await builtCommand()
  folder = await mkdtemp(join(tmpdir(), 'feedmill-cli-'))
}, 120_000)
afterAll(async () => {
  await built?.drop()
  rmSync(folder, { recursive: true })
})

/** The address of a port where nobody listens any more. */
async function deadHost(): Promise<string> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as { port: number }
  await new Promise(resolve => server.close(resolve))
  return `http://127.0.0.1:${port}`
}

test('a host that refuses connections is reported at once, with the next step of the run', async () => {
  const state = join(folder, 'state')
  const url = await deadHost()
  const service = [
    '--base-url',
    url,
    '--token-url',
    `${url}/token`,
    '--scope-base',
    'https://scope.test',
  ]
  const credentials = { clientId: 'client', clientSecret: 'a-secret-4711' }
  const client = ['--credentials', credentialsFile(folder, credentials)]
  const what = ['--marketplace', 'MKT_US', '--category', '220', '--state', state]
  const child = built.start(['sync', ...service, ...client, ...what])
  const exit = once(child, 'exit')
  const lines: string[] = []
  for await (const line of createInterface({ input: child.stderr! })) {
    lines.push(line)
    if (lines.length === 1) child.kill('SIGTERM')
  }
  expect(lines[0]).toMatch(
    /^220 item\S* .*: HTTP_TRANSPORT: .*ECONNREFUSED.*; asked again in \d+\.\d s$/,
  )
  expect(lines.at(-1)).toBe('feedmill: stopped; the same command goes on from here')
  expect((await exit)[0]).toBe(143)
  expect(locksOf(state)).toEqual([])
}, 60_000)
