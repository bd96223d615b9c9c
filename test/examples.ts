// The projects of fixtures/examples/, run as their readers run them: copied, with the packed package
// and the packages that each of them names, by their npm scripts. package.test.ts packs the package
// and runs these tests.

import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { cp, readFile, writeFile } from 'node:fs/promises'
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join, resolve } from 'node:path'
import { createInterface } from 'node:readline'
import { promisify } from 'node:util'
import { gzipSync } from 'node:zlib'
import { afterEach, beforeAll, expect, test } from 'vitest'
import { peerDependencies } from '../package.json'
import { createEmulator, type Emulator } from '../src/emulator'
import { testDatabase } from './integrations/postgres/test-database'
import { QueueShop } from './integrations/queue/queue-shop'
import { runsWithService } from './services'

const run = promisify(execFile)
const EXAMPLES = resolve(import.meta.dirname, '../fixtures/examples')
const NAMES = readdirSync(EXAMPLES).filter(name => name !== 'README.md')
const MOST_LINES = 60

const HOUR_MS = 3_600_000
const [POSTGRES, REDIS] = [await runsWithService('postgres'), await runsWithService('redis')]

/** The entries of the package with the packages that each needs, as the guide says. */
const NEEDED = new Map(
  [
    ...readFileSync(join(EXAMPLES, '../../src/guide/runtimes.md'), 'utf8').matchAll(
      /^\| `(feedmill\S*)` \|[^|]*\|([^|]*)\|$/gm,
    ),
  ].map(([, entry, cell]) => [
    entry!,
    // A package for one function only, such as `a` for `b`, is no need of the entry.
    cell!.includes(' for ') ? [] : [...cell!.matchAll(/`(\S+)`/g)].map(([, name]) => name!),
  ]),
)

const HEADER = 'itemId\ttitle\tavailability\tpriceValue\tpriceCurrency\n'
const ROWS = [
  'v1|1|0\tone\tAVAILABLE\t10.00\tUSD\n',
  'v1|2|0\ttwo, "too"\tAVAILABLE\t20.00\tUSD\n',
  'v1|3|0\tthree\tAVAILABLE\t3.50\tEUR\n',
  'v1|4|0\tfour\tUNAVAILABLE\t\t\n',
]

/** @param packed the folder in which the package is unpacked, inside the project */
export function testExamples(packed: () => string): void {
  const closing: (() => unknown)[] = []
  const folderOf = (name: string) => join(packed(), 'examples', name)

  beforeAll(() => cp(EXAMPLES, join(packed(), 'examples'), { recursive: true }))
  afterEach(async () => {
    for (const close of closing.splice(0).reverse()) await close()
  })

  /** Runs a script of an example to its end, and returns what it prints. */
  async function printed(name: string, script: string, words: string[] = [], env = {}) {
    const options = { cwd: folderOf(name), env: { ...process.env, ...env } }
    const { stdout } = await run('npm', ['run', '-s', script, '--', ...words], options)
    return stdout
  }

  /** Starts a program of an example that ends by a signal. */
  function started(name: string, program: string, env: Record<string, string>) {
    const child = spawn(process.execPath, [program], {
      cwd: folderOf(name),
      env: { ...process.env, ...env },
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    const exited = once(child, 'exit')
    closing.push(() => child.kill('SIGKILL'))
    const stop = () => {
      child.kill('SIGTERM')
      return exited
    }
    return { lines: createInterface(child.stdout)[Symbol.asyncIterator](), stop }
  }

  async function served(listener: RequestListener): Promise<string> {
    const server = createServer(listener).listen(0, '127.0.0.1')
    await once(server, 'listening')
    closing.push(() => {
      server.closeAllConnections()
      server.close()
    })
    return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  }

  test.each(NAMES)(
    '%s is complete: small, named on the page, with the packages that it imports',
    name => {
      const files = readdirSync(join(EXAMPLES, name))
      const textOf = (file: string) => readFileSync(join(EXAMPLES, name, file), 'utf8')
      const programs = files.filter(file => file.endsWith('.mjs'))
      expect(files.length).toBe(programs.length + 1)
      expect(programs.filter(file => textOf(file).split('\n').length > MOST_LINES)).toEqual([])
      expect(programs.filter(file => !textOf(file).startsWith('// '))).toEqual([])
      const { dependencies, scripts } = JSON.parse(textOf('package.json'))
      const entries = programs.flatMap(file =>
        [...textOf(file).matchAll(/ from '([^.]\S*)'/g)].map(([, from]) => from!),
      )
      const packages = entries.flatMap(entry => NEEDED.get(entry) ?? [])
      expect(entries.filter(entry => !entry.startsWith('node:') && !NEEDED.has(entry))).toEqual([])
      expect(Object.keys(dependencies)).toEqual(expect.arrayContaining(['feedmill', ...packages]))
      const ranges = { feedmill: '*', ...peerDependencies } as Record<string, string>
      for (const [each, range] of Object.entries(dependencies)) expect(range).toBe(ranges[each])
      const scripted = Object.values(scripts).flatMap(text => (text as string).match(/\w+\.mjs/g)!)
      expect(scripted.filter(file => !existsSync(join(EXAMPLES, name, file)))).toEqual([])
      expect(readFileSync(join(EXAMPLES, 'README.md'), 'utf8')).toContain(`](${name}/`)
    },
  )

  test('read-a-file prints the mean prices, counts bad rows, and fails for a file that is cut', async () => {
    const file = gzipSync(`${HEADER}${ROWS.join('')}short\n`)
    await writeFile(join(folderOf('read-a-file'), 'items.tsv.gz'), file)
    expect(await printed('read-a-file', 'start')).toBe(
      'USD: 2 items, 15.00 on average\nEUR: 1 items, 3.50 on average\n1 bad rows\n',
    )
    await writeFile(join(folderOf('read-a-file'), 'items.tsv.gz'), file.subarray(0, -9))
    await expect(printed('read-a-file', 'start')).rejects.toMatchObject({
      code: 1,
      stdout: '',
      stderr: expect.stringContaining('GZIP_TRUNCATED'),
    })
  })

  test('own-pipeline writes both files, and asks for each rate once', async () => {
    const asked: string[] = []
    const RATES_URL = await served((request, response) => {
      asked.push(request.url!)
      response.end(request.url === '/USD' ? '0.5' : '1')
    })
    const folder = folderOf('own-pipeline')
    await writeFile(join(folder, 'items.tsv.gz'), gzipSync(HEADER + ROWS.join('')))
    await printed('own-pipeline', 'start', [], { RATES_URL })
    expect(asked.sort()).toEqual(['/EUR', '/USD'])
    expect(await readFile(join(folder, 'items.csv'), 'utf8')).toBe(
      'itemId,title,euros\r\nv1|1|0,one,5.00\r\nv1|2|0,"two, ""too""",10.00\r\nv1|3|0,three,3.50\r\n',
    )
    const lines = (await readFile(join(folder, 'items.ndjson'), 'utf8')).trimEnd().split('\n')
    expect(lines.map(line => JSON.parse(line).euros)).toEqual(['5.00', '10.00', '3.50'])
  })

  test('follow-in-a-service is healthy once it has caught up, and ends by a signal', async () => {
    const { emulator, env } = await emulated()
    const { lines, stop } = started('follow-in-a-service', 'server.mjs', { ...env, PORT: '0' })
    const { value: port } = await lines.next()
    const healthOf = () => fetch(`http://127.0.0.1:${port}/health`)
    await expect.poll(async () => (await healthOf()).status, { timeout: 20_000 }).toBe(200)
    await expect
      .poll(async () => (await healthOf()).json(), { timeout: 20_000 })
      .toMatchObject({ watermark: emulator.world.end.toISOString() })
    expect(await stop()).toEqual([0, null])
  })

  test('gate-in-ci: its ingestion is right, with a fault too', async () => {
    const report = await printed('gate-in-ci', 'test:quick')
    for (const round of ['baseline', 'removals']) expect(report).toContain(round)
  })

  test.runIf(POSTGRES)('csv-into-postgres loads the rows of the file, exactly', async () => {
    const database = await testDatabase()
    closing.push(() => database.drop())
    const csv = 'sku,title,price,Quantity\r\nA-1,"a ""small"" lamp",9.90,3\r\nA-2,,0.10,\r\n'
    const CSV_URL = await served((_, response) => response.end(csv))
    const env = { CSV_URL, DATABASE_URL: database.url }
    expect(await printed('csv-into-postgres', 'start', [], env)).toBe('2 rows\n')
    const rows = await database.sql(
      'SELECT sku, title, price::text, on_hand FROM stock ORDER BY sku',
    )
    expect(rows).toEqual([
      { sku: 'A-1', title: 'a "small" lamp', price: '9.90', on_hand: 3 },
      { sku: 'A-2', title: null, price: '0.10', on_hand: null },
    ])
  })

  test.runIf(POSTGRES && REDIS)(
    'workers bring scheduled categories into the database',
    async () => {
      const database = await testDatabase()
      closing.push(() => database.drop())
      const shop = await QueueShop.open()
      closing.push(() => shop.close())
      const env = {
        ...environmentOf(shop.emulator, shop.url),
        FEEDMILL_NOW: shop.now.toISOString(),
        REDIS_URL: shop.queue.url,
        QUEUE: shop.queue.name,
        DATABASE_URL: database.url,
      }
      await printed('workers', 'schedule', ['220', '267'], env)
      const { lines, stop } = started('workers', 'worker.mjs', env)
      const watermarks = new Map<string, string>()
      while (watermarks.size < 2) {
        const [category, state, watermark] = (await lines.next()).value.split(' ')
        expect(['started', 'delayed']).toContain(state)
        if (state === 'delayed') watermarks.set(category, watermark)
      }
      expect(await stop()).toEqual([0, null])
      const [{ items } = {}] = await database.sql(
        'SELECT count(*)::int AS items FROM feedmill.items',
      )
      const truth = [...watermarks].flatMap(([categoryId, watermark]) => [
        ...shop.emulator.world.truthAt(new Date(watermark), {
          marketplaceId: 'MKT_US',
          categoryId,
        }),
      ])
      expect(items).toBe(truth.length)
    },
  )

  /** An emulated service on a socket, and the environment of a program that uses it. */
  async function emulated() {
    const emulator = createEmulator({ world: { seed: 7, items: 100, hours: 2 } })
    closing.push(() => emulator.close())
    const { url } = await emulator.listen({ port: 0 })
    const { end } = emulator.world
    const env = {
      ...environmentOf(emulator, url),
      FEEDMILL_NOW: new Date(+end + HOUR_MS).toISOString(),
    }
    return { emulator, env }
  }
}

function environmentOf(emulator: Emulator, url: string) {
  return {
    FEEDMILL_BASE_URL: url,
    FEEDMILL_TOKEN_URL: url + emulator.tokenPath,
    FEEDMILL_SCOPE_BASE: emulator.scopeBase,
    FEEDMILL_CLIENT_ID: emulator.clientId,
    FEEDMILL_CLIENT_SECRET: emulator.clientSecret,
  }
}
