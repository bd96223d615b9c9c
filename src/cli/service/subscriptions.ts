// `feedmill subscriptions`: creates subscriptions to notifications.

import { FeedError } from '../../index'
import { jsonText, print } from '../output'
import { type ServiceSettings, USER_TOKEN_VARIABLE } from '../service-settings'
import { printFacts, withService } from './service-output'

export interface SubscriptionCommand extends ServiceSettings {
  readonly topic: string
  readonly destination: string
  readonly schemaVersion: string
  readonly status: 'ENABLED' | 'DISABLED'
  readonly protocol: string
  readonly format: string
  /** True for a subscription of the user whose token the environment has. */
  readonly user: boolean
  /** The scopes that the topic needs beside that of the operation. */
  readonly scope?: readonly string[]
  readonly json: boolean
}

export function subscriptionCommand(options: SubscriptionCommand): Promise<void> {
  const { topic, destination, schemaVersion, status, protocol, format, scope = [], json } = options
  const user = options.user ? userToken() : undefined
  return withService(options, async ({ notifications }) => {
    const { subscriptionId, location } = await notifications.createSubscription(
      {
        topicId: topic,
        status,
        destinationId: destination,
        payload: { deliveryProtocol: protocol, format, schemaVersion },
      },
      { scopes: scope, ...(user !== undefined && { user: () => user }) },
    )
    if (json) return print(jsonText({ subscriptionId, location }))
    await printFacts([
      ['subscription', subscriptionId],
      ['address', location],
    ])
  })
}

function userToken(): string {
  const token = process.env[USER_TOKEN_VARIABLE]
  if (token !== undefined && token !== '') return token
  const expected = `an access token of the user in ${USER_TOKEN_VARIABLE}, in the environment`
  throw new FeedError('OPTION_INVALID', `--user needs ${expected}`, {
    option: 'user',
    expected,
    received: 'nothing',
  })
}
