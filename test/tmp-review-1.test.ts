import { expect, test } from 'vitest'
import { inspect } from 'node:util'
import { sameOriginUrl } from '../src/service/redirect-policy'
import { createFeedService, defineProfile, fetchTransport } from '../src/service/index'
import { createEmulator } from '../src/emulator/index'

test('blob', () => {
  try { console.log('BLOB', sameOriginUrl('https://a.test/x', 'blob:https://a.test/y').href) } catch (e) { console.log('refused', (e as {code:string}).code) }
})
test('toArray', async () => {
  const transport = fetchTransport(r => r.url.endsWith('/token') ? Response.json({ access_token: 'tok-1', token_type: 'Bearer' }) : Response.json({ fileMetadata: Array.from({length: 300000}, () => ({fileId: 'x'})) }))
  const profile = defineProfile({ baseUrl: 'https://a.test', tokenUrl: 'https://a.test/token', scopeBase: 's' })
  const s = createFeedService(profile, { clientId: 'c', clientSecret: 'secret' }, { transport })
  await s.catalog.getFiles({marketplace: 'MKT_US'}).toArray().then(a => console.log('len', a.length), e => console.log('toArray', inspect(e).slice(0,300)))
})
test('token source throws', async () => {
  const transport = fetchTransport(() => Response.json({}))
  const profile = defineProfile({ baseUrl: 'https://a.test', tokenUrl: 'https://a.test/token', scopeBase: 's' })
  let n = 0
  const s = createFeedService(profile, () => { n++; throw new Error('refresh token r-123 was revoked') }, { transport, backoffBaseMs: 1, backoffCapMs: 1 })
  await s.catalog.getAccess().catch(e => console.log(n, inspect(e).slice(0,600)))
})
test('failed early renewal', async () => {
  let now = 0, n = 0
  const transport = fetchTransport(r => r.url.endsWith('/token') ? (n++ === 0 ? Response.json({ access_token: 'tok-1', token_type: 'Bearer', expires_in: 3600 }) : new Response('', {status: 503})) : Response.json({accesses: []}))
  const profile = defineProfile({ baseUrl: 'https://a.test', tokenUrl: 'https://a.test/token', scopeBase: 's' })
  const s = createFeedService(profile, { clientId: 'c', clientSecret: 'secret' }, { transport, backoffBaseMs: 1, backoffCapMs: 1, now: () => now })
  await s.catalog.getAccess()
  now = 3575_000
  await s.catalog.getAccess().then(() => console.log('ok', n), e => console.log('early renewal', e.message, n))
})
test('profile', () => {
  const p = defineProfile({ baseUrl: 'https://a.test', tokenUrl: 'https://a.test/token', scopeBase: 's', paths: { getFile: 'file/{id}' , downloadFile: '/x' }, limits: { pageSizeLeast: -1 } })
  console.log(p.paths.getFile)
  for (const o of [{scopeBase: undefined}, {marketplacePrefix: ''}, {lookBackParameter: ''}]) { try { defineProfile({ baseUrl: 'https://a.test', tokenUrl: 'https://a.test/token', scopeBase: 's', ...o } as never); console.log('ok', o) } catch (e) { console.log(o, String(e).slice(0,100)) } }
  for (const u of ['https://a.test/?x=1', 'https://a.test/#f']) { try { console.log(defineProfile({ baseUrl: u, tokenUrl: 'https://a.test/token', scopeBase: 's' }).keysBaseUrl) } catch (e) { console.log(String(e)) } }
})
test('subscription undefined', async () => {
  const profile = defineProfile({ baseUrl: 'https://a.test', tokenUrl: 'https://a.test/token', scopeBase: 's' })
  const s = createFeedService(profile, () => 'tok', { transport: fetchTransport(() => Response.json({})) })
  console.log(inspect(s, {depth: 5, showHidden: true}).slice(0, 1500))
  await s.notifications.createSubscription({ topicId: 't', status: 'ENABLED', destinationId: 'd' } as never).catch(e => console.log(String(e)))
})
