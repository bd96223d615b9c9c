import { expect, test } from 'vitest'
import { roundsOf } from '../../../src/cli/verify/fault-rounds'
import { roundService } from '../../../src/cli/verify/round-service'

const WORLD = { seed: 7, items: 40, marketplace: 'MKT_US', categories: ['220'] }
const HOUR = '2026-03-01T07:00:00.000Z'

test('faults strike the files of the route only', async () => {
  const route = '/buy/feed/v1_beta/item'
  const { emulator, url } = await roundService(roundsOf(['503'])[1]!, { ...WORLD, route })
  try {
    for (const path of [`item_snapshot?category_id=220&snapshot_date=${HOUR}`, 'item'])
      await fetch(`${url}/buy/feed/v1_beta/${path}`)
    expect(emulator.faults.log.map(({ path }) => path)).toEqual([route])
  } finally {
    await emulator.close()
  }
})

test('ranges have the form that is asked for', async () => {
  const statuses = (['documented', 'rfc9110'] as const).map(async headerForm => {
    const { emulator, url } = await roundService(roundsOf()[0]!, { ...WORLD, headerForm })
    try {
      const authorization = `Bearer ${await tokenFrom(url + emulator.tokenPath, emulator)}`
      const headers = { authorization, [emulator.marketplaceHeader]: 'MKT_US', range: 'bytes=10-' }
      const query = 'feed_scope=ALL_ACTIVE&category_id=220'
      return (await fetch(`${url}/buy/feed/v1_beta/item?${query}`, { headers })).status
    } finally {
      await emulator.close()
    }
  })
  expect(await Promise.all(statuses)).toEqual([400, 206])
})

async function tokenFrom(
  url: string,
  { clientId, clientSecret, scopeBase }: Record<'clientId' | 'clientSecret' | 'scopeBase', string>,
): Promise<string> {
  const scope = `${scopeBase}/buy.item.feed`
  const response = await fetch(url, {
    method: 'POST',
    body: new URLSearchParams({ grant_type: 'client_credentials', scope }),
    headers: { authorization: `Basic ${btoa(`${clientId}:${clientSecret}`)}` },
  })
  return ((await response.json()) as { access_token: string }).access_token
}
