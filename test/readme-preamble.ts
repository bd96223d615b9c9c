// What the snippets of the documents take for granted: a small emulated service, a token for it,
// and pipelines over its files. package.test.ts runs a copy of this file in a plain install, over
// the packed package.

import { once } from 'node:events'
import { mkdir, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { writeSample } from '../src/cli/sample'
import { createEmulator } from '../src/emulator'
import {
  ChunkReassembler,
  type Columns,
  type FeedFile,
  type FeedSchema,
  Gunzip,
  itemGroupSchema,
  itemSchema,
  itemSnapshotSchema,
  NodeTransport,
  pipeline,
  RangeFetcher,
  TsvRowParser,
} from '../src/index'
import { createFeedService, defineProfile } from '../src/service'

/** The working directory of the snippets. */
const folder = join(import.meta.dirname, '../.tmp/snippet-run')

const HOURS = 3
const HOUR_MS = 3_600_000
const emulator = createEmulator({ world: { seed: 7, items: 200, hours: HOURS, churn: 50 } })
const { world } = emulator
const server = await emulator.listen({ port: 0 })

/** The emulated service's clock stands still. */
const now = new Date(world.end.getTime() + HOUR_MS)
const connection = {
  baseUrl: server.url,
  tokenUrl: server.url + emulator.tokenPath,
  scopeBase: emulator.scopeBase,
  credentials: { clientId: emulator.clientId, clientSecret: emulator.clientSecret },
}
const { credentials, ...addresses } = connection
const service = createFeedService(defineProfile(addresses), credentials, { now })

const transport = new NodeTransport()
const token = await newToken()
const headers = {
  Authorization: `Bearer ${token}`,
  'X-MKT-C-MARKETPLACE-ID': 'MKT_US',
  Accept: 'text/tab-separated-values',
}
const path = join(folder, 'two-items.tsv.gz')
// What an earlier run has written would prove nothing.
await rm(folder, { recursive: true, force: true })
await mkdir(folder, { recursive: true })
await writeFile(
  path,
  gzipSync('itemId\ttitle\tpriceValue\nv1|1|0\t"a \\"quoted\\" title"\t1.5\nv1|2|0\ttwo\t\n'),
)
/** The file of the first snippet of the README. */
const sampleOptions = { items: 40, seed: 7, shape: 'plain' } as const
const samplePath = join(folder, 'items.tsv.gz')
const sample = await writeSample(samplePath, sampleOptions)

/** Files in other encodings. */
const latin1Path = join(folder, 'prices-latin1.tsv')
const utf16Path = join(folder, 'stock-utf16.csv')
await writeFile(latin1Path, Buffer.from('city\tprice\nKöln\t1.5\n', 'latin1'))
await writeFile(utf16Path, Buffer.from('\ufeffcity;stock\r\nMünchen;3\r\n', 'utf16le'))

/** A full file and changes of a feed of one's own. */
const feedFolder = join(folder, 'partner')
await mkdir(feedFolder)
await writeFile(
  join(feedFolder, 'full-2026-03-01.csv.gz'),
  gzipSync('sku,price,updatedAt\nA-1,1.50,2026-02-01T00:00:00Z\nA-2,2,2026-02-02T00:00:00Z\n'),
)
await writeFile(
  join(feedFolder, 'changes-2026-03-02.csv'),
  'sku,price,updatedAt\nA-2,2.50,2026-03-01T10:00:00Z\nA-1,9,2026-01-01T00:00:00Z\n',
)

/**
 * A proxy, as between a network and the others; every tunnel through it is counted. It is also a
 * server of one CSV file.
 */
const tunnels: string[] = []
const proxy = createServer(({ url: target }, response) =>
  target?.startsWith('/stock.csv')
    ? response.end('sku,title\r\nA-1,"a ""small"" lamp"\r\n')
    : response.writeHead(405).end(),
)
proxy.on('connect', ({ url: target = '' }, socket) => {
  tunnels.push(target)
  const { hostname, port } = new URL(`http://${target}`)
  const upstream = connect(Number(port), hostname, () => {
    socket.write('HTTP/1.1 200 OK\r\n\r\n')
    upstream.pipe(socket).pipe(upstream)
  })
  for (const end of [upstream, socket]) end.on('error', () => {})
})
proxy.listen(0, '127.0.0.1')
await once(proxy, 'listening')

/** A stand-in of a store of buckets: it checks no signature, and has one upload at a time. */
const objects = new Map([['/shop/exports/stock-1.tsv', Buffer.from('sku\ttitle\nA-1\tlamp\n')]])
const parts: Buffer[] = []
const store = createServer(async (request, response) => {
  const { method, url: target = '', headers } = request
  const { pathname, searchParams } = new URL(target, 'http://store')
  const xml = (root: string, content: string) => response.end(`<${root}>${content}</${root}>`)
  const object = objects.get(pathname)
  if (method === 'GET' && searchParams.has('list-type')) {
    const time = '<LastModified>2026-03-01T00:00:00.000Z</LastModified>'
    const keys = [...objects.keys()].map(path => path.replace('/shop/', ''))
    const fitting = keys.filter(key => key.startsWith(searchParams.get('prefix')!))
    const found = fitting.map(key => `<Contents><Key>${key}</Key>${time}</Contents>`)
    xml('ListBucketResult', `<IsTruncated>false</IsTruncated>${found.join('')}`)
  } else if (method === 'GET' && searchParams.has('uploads'))
    xml('ListMultipartUploadsResult', '<IsTruncated>false</IsTruncated>')
  else if (method === 'POST' && searchParams.has('uploads'))
    xml('InitiateMultipartUploadResult', '<UploadId>1</UploadId>')
  else if (method === 'POST') {
    objects.set(pathname, Buffer.concat(parts))
    xml('CompleteMultipartUploadResult', '')
  } else if (method === 'PUT') {
    for await (const bytes of request) parts.push(bytes)
    response.writeHead(200, { ETag: '"part"' }).end()
  } else if (object === undefined) response.writeHead(404).end()
  else {
    const [, first, last] = /=(\d+)-(\d+)/.exec(headers.range ?? '')!.map(Number)
    const body = object.subarray(first, last! + 1)
    const range = `bytes ${first}-${first! + body.length - 1}/${object.length}`
    response.writeHead(206, { ETag: '"one"', 'Content-Range': range }).end(body)
  }
})
store.listen(0, '127.0.0.1')
await once(store, 'listening')

/** A stand-in of a driver of SQLite: rows of `INSERT` are there once `COMMIT` is executed. */
const table: (string | null)[][] = []
let uncommitted: (string | null)[][] | undefined
const database = {
  exec(sql: string): void {
    if (sql === 'BEGIN') uncommitted = []
    if (sql === 'COMMIT') table.push(...(uncommitted ?? []))
    if (sql === 'COMMIT' || sql === 'ROLLBACK') uncommitted = undefined
  },
  prepare: (_sql: string) => ({
    run: (...values: (string | null)[]) => (uncommitted ?? table).push(values),
  }),
}

/** What the expectations of the snippets need to know. */
export interface Facts {
  readonly folder: string
  /** The file that `feedmill sample` has written, and its rows. */
  readonly samplePath: string
  readonly sampleRows: number
  readonly itemIds: readonly string[]
  readonly itemIdsAtEnd: readonly string[]
  readonly groupCount: number
  readonly tunnels: readonly string[]
  /** The committed rows of `database`. */
  readonly tableRows: readonly (readonly (string | null)[])[]
}

export const facts: Facts = {
  folder,
  samplePath,
  sampleRows: sample.rows,
  itemIds: [...world.truthAt(world.start)].map(({ itemId }) => itemId),
  itemIdsAtEnd: [...world.truthAt(world.end)].map(({ itemId }) => itemId),
  groupCount: [...world.groupsAt(world.start)].length,
  tunnels,
  tableRows: table,
}

/** What a snippet may say that it uses. */
const proxyUrl = `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`
export const given = {
  url: urlOf('item?feed_scope=ALL_ACTIVE'),
  ...connection,
  service,
  now,
  folder: join(folder, 'state'),
  token,
  headers,
  transport,
  items: rowsOf('item?feed_scope=ALL_ACTIVE', itemSchema, { feed: 'item' }),
  bootstrap: rowsOf('item?feed_scope=ALL_ACTIVE', itemSchema, {
    feed: 'item',
    lastModified: world.start,
  }),
  groups: rowsOf('item_group?feed_scope=ALL_ACTIVE', itemGroupSchema, { feed: 'item_group' }),
  snapshots: Array.from({ length: HOURS }, (_, n) => {
    const hour = new Date(world.start.getTime() + n * HOUR_MS)
    return rowsOf(`item_snapshot?snapshot_date=${hour.toISOString()}`, itemSnapshotSchema, {
      feed: 'item_snapshot',
      hour,
    })
  }),
  path,
  latin1Path,
  utf16Path,
  feedFolder,
  database,
  proxyUrl,
  csvUrl: `${proxyUrl}/stock.csv`,
  endpoint: `http://127.0.0.1:${(store.address() as AddressInfo).port}`,
}

export async function close(): Promise<void> {
  await service.close()
  await transport.close()
  await emulator.close()
  proxy.closeAllConnections()
  proxy.close()
  store.closeAllConnections()
  store.close()
}

function urlOf(query: string): string {
  return `${server.url}${emulator.feedBasePath}/${query}&category_id=220`
}

function rowsOf<C extends Columns>(query: string, schema: FeedSchema<C>, file: FeedFile) {
  return pipeline(() => new RangeFetcher({ url: urlOf(query), transport, headers }))
    .to(() => new ChunkReassembler())
    .to(() => new Gunzip())
    .to(() => new TsvRowParser({ schema, file }))
}

async function newToken(): Promise<string> {
  const { clientId, clientSecret, scopeBase, tokenPath } = emulator
  const scope = `${scopeBase}/buy.item.feed`
  const body = new URLSearchParams({
    grant_type: 'client_credentials',
    client_id: clientId,
    client_secret: clientSecret,
    scope,
  })
  const response = await fetch(server.url + tokenPath, { method: 'POST', body })
  return ((await response.json()) as { access_token: string }).access_token
}
