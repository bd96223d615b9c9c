// undici's RetryAgent downloads, node:zlib inflates, csv-parse parses. Of undici's documents, "Class:
// RetryAgent" and "RetryHandler": the defaults repeat five times, and ask for the rest of a body. Of
// csv-parse's, "Options": delimiter, quote, escape, columns.

import { createReadStream, createWriteStream, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { createGunzip } from 'node:zlib'
import { parse } from 'csv-parse'
import { Agent, RetryAgent, request } from 'undici'
import { snapshots } from './snapshots.mjs'

const { FEEDMILL_BASE_URL: base, FEEDMILL_CATEGORIES: category } = process.env
const dispatcher = new RetryAgent(new Agent())
const pathOf = name => join(process.env.FEEDMILL_FOLDER, name)

async function download(name, url) {
  const headers = {
    authorization: `Bearer ${await token()}`,
    'x-mkt-c-marketplace-id': process.env.FEEDMILL_MARKETPLACE,
    accept: 'text/tab-separated-values',
  }
  const response = await request(url, { dispatcher, headers })
  if (response.statusCode !== 200) throw new Error(`${name}: status ${response.statusCode}`)
  await pipeline(response.body, createWriteStream(pathOf(name)))
  return Date.parse(response.headers['last-modified'])
}

async function token() {
  const { FEEDMILL_CLIENT_ID: id, FEEDMILL_CLIENT_SECRET: secret } = process.env
  const scope = `${process.env.FEEDMILL_SCOPE_BASE}/buy.item.feed`
  const body = new URLSearchParams({ grant_type: 'client_credentials', scope })
  const authorization = `Basic ${btoa(`${id}:${secret}`)}`
  const address = process.env.FEEDMILL_TOKEN_URL
  const response = await fetch(address, { method: 'POST', body, headers: { authorization } })
  return (await response.json()).access_token
}

const bootstrap = `${base}/buy/feed/v1_beta/item?feed_scope=ALL_ACTIVE&category_id=${category}`
const later = snapshots(await download('0.tsv.gz', bootstrap))
for (const { name, url } of later) await download(name, url)

const items = new Map()
const columns = names => names.map(name => name.toLowerCase())
for (const name of ['0.tsv.gz', ...later.map(each => each.name)]) {
  const rows = parse({ delimiter: '\t', quote: '"', escape: '\\', columns })
  const reading = pipeline(createReadStream(pathOf(name)), createGunzip(), rows)
  for await (const row of rows)
    if (row.availability === 'UNAVAILABLE') items.delete(row.itemid)
    else items.set(row.itemid, row)
  await reading
}
const lines = [...items.values()].map(row => JSON.stringify(row))
writeFileSync(process.env.FEEDMILL_OUTPUT, `${lines.join('\n')}\n`)
await dispatcher.close()
