import { expect, test } from 'vitest'
import { servicePaths } from '../../src/emulator/service-context'
import { defineProfile } from '../../src/service/profile'

const BASIS = {
  baseUrl: 'https://a.test',
  tokenUrl: 'https://login.test/oauth/token',
  scopeBase: 'https://a.test/oauth',
}

test('the service has the documented paths', () => {
  expect(servicePaths(defineProfile(BASIS))).toMatchObject({
    getToken: '/oauth/token',
    getAccess: '/buy/feed/v1/access',
    downloadFile: '/buy/feed/v1/file/{file_id}/download',
    getItemPriorityFeed: '/buy/feed/v1_beta/item_priority',
    getSigningKey: '/developer/key_management/v1/signing_key/{signing_key_id}',
    createSubscription: '/commerce/notification/v1/subscription',
    enableSubscription: '/commerce/notification/v1/subscription/{subscription_id}/enable',
  })
})

test('base addresses may have a path, and a profile may have its own paths', () => {
  const profile = defineProfile({
    ...BASIS,
    baseUrl: 'https://a.test/api/',
    keysBaseUrl: 'https://k.test/',
    paths: { getAccess: '/rules' },
  })
  expect(servicePaths(profile)).toMatchObject({
    getAccess: '/api/rules',
    getSigningKey: '/signing_key/{signing_key_id}',
    getTopics: '/api/commerce/notification/v1/topic',
  })
})
