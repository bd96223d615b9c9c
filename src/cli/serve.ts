// `feedmill serve`: the emulated service on a socket.

import { createEmulator, type HeaderForm } from '../emulator/index'

export interface ServeOptions {
  readonly port: number
  readonly items: number
  readonly seed: number
  /** The service's clock; by default it stands where the last snapshot of the world has just appeared. */
  readonly now?: Date
  readonly sandbox: boolean
  readonly headerForm: HeaderForm
  /** Share of the answers to downloads that go wrong, 0 to 1. */
  readonly faults?: number
  readonly json: boolean
}

/** What `--json` prints, in one line. */
export interface ServeAddress {
  readonly url: string
  readonly tokenUrl: string
  readonly clientId: string
  readonly clientSecret: string
}

/** Serves until SIGINT, SIGTERM, or the end of the process that forked this one. */
export async function serve({ port, items, seed, now, sandbox, headerForm, faults, json }: ServeOptions): Promise<void> {
  const emulator = createEmulator({
    world: { seed, items },
    sandbox,
    headerForm,
    ...(now && { now }),
    ...(faults !== undefined && { faults: { rate: faults, seed } }),
  })
  const stop = () => void emulator.close().then(() => process.exit())
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, stop)
  process.once('disconnect', stop)
  const { url } = await emulator.listen({ port })
  const { clientId, clientSecret } = emulator
  const address: ServeAddress = { url, tokenUrl: `${url}${emulator.tokenPath}`, clientId, clientSecret }
  console.log(json ? JSON.stringify(address) : inWords(address, items, seed, emulator.scopeBase))
}

function inWords({ url, tokenUrl, clientId, clientSecret }: ServeAddress, items: number, seed: number, scopeBase: string): string {
  return [
    `Serving ${items} items in each category, seed ${seed}, at ${url}. Ctrl-C stops.`,
    `token address ${tokenUrl}, scope ${scopeBase}/buy.item.feed`,
    `client ${clientId}, secret ${clientSecret}`,
    `description ${url}/openapi.json`,
  ].join('\n')
}
