// The package as its users get it: packed, unpacked, imported both ways, type-checked both ways, and its command run.

import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, test } from 'vitest'

const run = promisify(execFile)
const ROOT = resolve(import.meta.dirname, '..')
let folder: string
let installed: string

// Inside the project, so that the package's dependencies resolve from the project's own.
beforeAll(async () => {
  await mkdir(join(ROOT, '.tmp'), { recursive: true })
  folder = await mkdtemp(join(ROOT, '.tmp/package-'))
  installed = join(folder, 'node_modules/feedmill')
  await mkdir(installed, { recursive: true })
  await run('npm', ['pack', '--pack-destination', folder], { cwd: ROOT })
  const tarball = (await readdir(folder)).find(name => name.endsWith('.tgz'))!
  await run('tar', ['-xzf', join(folder, tarball), '-C', installed, '--strip-components=1'])
}, 300_000)

afterAll(() => rm(folder, { recursive: true, force: true }))

const consumer = (load: (name: string) => string) => `
${load('feedmill')}
${load('feedmill/service')}
${load('feedmill/emulator')}
${load('feedmill/level')}
${load('feedmill/sync')}
`

test('holds what it needs and nothing else', async () => {
  const names = await readdir(installed, { recursive: true })
  expect(
    names.filter(name => !/^(dist(\/[\w-]+\.(c?js|d\.c?ts)(\.map)?)?|package\.json|README\.md|LICENSE|CHANGELOG\.md)$/.test(name)),
  ).toEqual([])
  expect(names.filter(name => name.startsWith('dist/')).length).toBeGreaterThan(10)
  const { dependencies, scripts } = JSON.parse(await readFile(join(installed, 'package.json'), 'utf8'))
  expect(Object.keys(scripts).filter(name => /install/.test(name))).toEqual([])
  expect(Object.keys(dependencies).length).toBeLessThanOrEqual(6)
})

const PROGRAM = `
const rows = await pipeline([gzipSync('itemId\\tpriceValue\\nv1|1|0\\t9.90\\n')]).to(new Gunzip()).to(new TsvRowParser({ schema: itemSchema })).map(row => row.toObject()).toArray()
const emulator = createEmulator({ world: { seed: 1, items: 10 } })
const status = (await emulator.fetch(new Request('http://emulator' + emulator.feedBasePath + '/item'))).status
await emulator.close()
console.log(JSON.stringify([rows[0].itemId, rows[0].priceValue, typeof createFeedService, typeof sync, typeof LevelStore, status]))
`
const IMPORTS = [
  ['gzipSync', 'node:zlib'],
  ['Gunzip, TsvRowParser, itemSchema, pipeline', 'feedmill'],
  ['createFeedService', 'feedmill/service'],
  ['createEmulator', 'feedmill/emulator'],
  ['LevelStore', 'feedmill/level'],
  ['sync', 'feedmill/sync'],
] as const

test('works as an ES module and as CommonJS', async () => {
  const imports = IMPORTS.map(([names, from]) => `import { ${names} } from '${from}'\n`).join('')
  const requires = IMPORTS.map(([names, from]) => `const { ${names} } = require('${from}')\n`).join('')
  const esm = `${imports}${PROGRAM}`
  const cjs = `${requires};(async () => {${PROGRAM}})()`
  await writeFile(join(folder, 'use.mjs'), esm)
  await writeFile(join(folder, 'use.cjs'), cjs)
  for (const file of ['use.mjs', 'use.cjs']) {
    const { stdout } = await run(process.execPath, [join(folder, file)])
    expect(JSON.parse(stdout)).toEqual(['v1|1|0', '9.90', 'function', 'function', 'function', 401])
  }
})

test('its declarations serve both module systems', async () => {
  await writeFile(
    join(folder, 'use.mts'),
    consumer(name => `import * as m${name.length} from '${name}'; export const k${name.length}: object = m${name.length}`),
  )
  await writeFile(
    join(folder, 'use.cts'),
    consumer(name => `import m${name.length} = require('${name}'); export const k${name.length}: object = m${name.length}`),
  )
  const options = {
    module: 'NodeNext',
    moduleResolution: 'NodeNext',
    target: 'ES2022',
    strict: true,
    noEmit: true,
    types: ['node'],
    skipLibCheck: false,
  }
  await writeFile(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions: options, files: ['use.mts', 'use.cts'] }))
  await run(process.execPath, [join(ROOT, 'node_modules/typescript/bin/tsc'), '-p', folder])
}, 60_000)

test.each([
  ['', []],
  [', killed in the middle', ['--interrupt']],
])(
  'its command proves a small ingestion right%s, in one line of JSON',
  async (_, words) => {
    const out = join(folder, 'items.ndjson')
    const cli = join(installed, 'dist/cli.js')
    const { stdout } = await run(process.execPath, [cli, 'demo', '--items', '400', '--seed', '3', '--json', '--out', out, ...words])
    const result = JSON.parse(stdout)
    expect(result).toMatchObject({ ok: true, verified: true, snapshots: 24 })
    expect(result.filesBeforeKill > 0).toBe(words.length > 0)
    const lines = (await readFile(out, 'utf8')).trimEnd().split('\n')
    expect(lines.length).toBe(result.items)
    expect(JSON.parse(lines[0]!)).toHaveProperty('itemId')
    expect(stdout.trimEnd().split('\n')).toHaveLength(1)
  },
  60_000,
)

test('its command synchronises until a signal comes, and goes on from there', async () => {
  const cli = join(installed, 'dist/cli.js')
  const now = '2026-03-01T12:00:00Z'
  const server = spawn(process.execPath, [cli, 'serve', '--items', '500', '--now', now, '--json'], { stdio: ['ignore', 'pipe', 'inherit'] })
  try {
    const [line] = (await once(server.stdout, 'data')) as [Buffer]
    const { url, tokenUrl, clientId, clientSecret } = JSON.parse(line.toString())
    const env = {
      ...process.env,
      FEEDMILL_BASE_URL: url,
      FEEDMILL_TOKEN_URL: tokenUrl,
      FEEDMILL_SCOPE_BASE: 'https://api.market.example/oauth',
      FEEDMILL_CLIENT_ID: clientId,
      FEEDMILL_CLIENT_SECRET: clientSecret,
    }
    const words = [cli, 'sync', '--marketplace', 'MKT_US', '--category', '220', '--state', join(folder, 'state'), '--now', now, '--json']
    const following = spawn(process.execPath, [...words, '--follow'], { env, stdio: ['ignore', 'pipe', 'ignore'] })
    const exited = once(following, 'exit')
    await once(following.stdout, 'data')
    following.stdout.resume()
    following.kill('SIGTERM')
    expect(await exited).toEqual([143, null])

    const { stdout } = await run(process.execPath, words, { env })
    const summary = JSON.parse(stdout.trimEnd().split('\n').at(-1)!)
    expect(summary).toMatchObject({ type: 'summary', failed: [], categories: [{ watermark: '2026-03-01T11:00:00.000Z' }] })
    const status = await run(process.execPath, [cli, 'status', join(folder, 'state'), '--now', now, '--json'])
    expect(JSON.parse(status.stdout)).toMatchObject({ categories: [{ categoryId: '220', due: { count: 0 }, lost: { count: 0 } }] })
    const items = await run(process.execPath, [cli, 'export', '--state', join(folder, 'state')], { maxBuffer: 1 << 26 })
    expect(items.stdout.trimEnd().split('\n').length).toBeGreaterThan(400)
  } finally {
    server.kill()
  }
}, 60_000)

test('its command serves until it is stopped', async () => {
  const words = ['serve', '--port', '0', '--items', '500', '--seed', '7', '--now', '2026-03-01T12:00:00Z', '--json']
  const child = spawn(process.execPath, [join(installed, 'dist/cli.js'), ...words], { stdio: ['ignore', 'pipe', 'inherit'] })
  const [line] = (await once(child.stdout, 'data')) as [Buffer]
  const address = JSON.parse(line.toString())
  expect(Object.keys(address)).toEqual(['url', 'tokenUrl', 'clientId', 'clientSecret'])
  const description = (await (await fetch(`${address.url}/openapi.json`)).json()) as { openapi: string }
  expect(description.openapi).toMatch(/^3\.1/)
  child.kill('SIGTERM')
  expect(await once(child, 'exit')).toEqual([0, null])
  await expect(fetch(address.url)).rejects.toThrow()
}, 30_000)

test('its command fails where an option is wrong', async () => {
  await expect(run(process.execPath, [join(installed, 'dist/cli.js'), 'demo', '--items', 'many'])).rejects.toMatchObject({ code: 1 })
})
