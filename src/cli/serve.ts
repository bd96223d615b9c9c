// `feedmill serve`: the emulated service on a socket.

import { createEmulator } from '../emulator/index'

export interface ServeOptions {
  readonly port: number
  readonly items: number
  readonly seed: number
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
export async function serve({ port, items, seed, json }: ServeOptions): Promise<void> {
  const emulator = createEmulator({ world: { seed, items } })
  const stop = () => void emulator.close().then(() => process.exit())
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, stop)
  process.once('disconnect', stop)
  const { url } = await emulator.listen({ port })
  const { clientId, clientSecret } = emulator
  const address: ServeAddress = { url, tokenUrl: `${url}${emulator.tokenPath}`, clientId, clientSecret }
  console.log(
    json ? JSON.stringify(address) : `Serving ${items} items, seed ${seed}, at ${url} (token: ${address.tokenUrl}). Ctrl-C stops.`,
  )
}
