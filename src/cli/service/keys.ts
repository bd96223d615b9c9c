// `feedmill keys`: the public part of a signing key.

import { jsonText, print } from '../output'
import type { ServiceSettings } from '../service-settings'
import { printFacts, withService } from './service-output'

export interface KeyCommand extends ServiceSettings {
  readonly json: boolean
}

/** JSON has the fields of the service, and its two times as ISO 8601 too. */
export function keyCommand(signingKeyId: string, options: KeyCommand): Promise<void> {
  return withService(options, async ({ keys }) => {
    const key = await keys.getSigningKey({ signingKeyId })
    if (options.json) return print(jsonText(key))
    await printFacts([
      ['key', key.signingKeyId],
      ['cipher', key.signingKeyCipher],
      ['created', key.createdAt.toISOString()],
      ['expires', key.expiresAt.toISOString()],
      ['public key', key.publicKey.replace(/\s+/g, ' ').trim()],
      ['jwe', key.jwe],
    ])
  })
}
