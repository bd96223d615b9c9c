// Commands of the service against an emulated one on a socket, through the parser of the command
// line; and what the service itself says, as an oracle.

import { expect } from 'vitest'
import { program } from '../../../src/cli/program'
import type { EmulatorOptions } from '../../../src/emulator'
import { bodyOf, token } from '../../emulator/emulator-client'
import { type Outcome, outcomeOf, served } from '../served'

export async function commanded(options: Partial<EmulatorOptions> = {}) {
  const { emulator, folder, command, close } = await served(options)
  const { baseUrl, tokenUrl, scopeBase, credentials } = command
  const service = [
    ...['--base-url', baseUrl!, '--token-url', tokenUrl!],
    ...['--scope-base', scopeBase!, '--credentials', credentials!],
  ]
  const send = async (path: string, scope = 'buy.item.feed') => {
    const bearer = await token(emulator, undefined, undefined, `${scopeBase}/${scope}`)
    const headers = { authorization: `Bearer ${bearer}`, [emulator.marketplaceHeader]: 'MKT_US' }
    return emulator.fetch(new Request(`http://emulator${path}`, { headers }))
  }
  return {
    emulator,
    folder,
    service,
    close,
    /** Runs a command with the service of the emulator. Nothing that it prints holds the secret. */
    async run(...words: string[]): Promise<Outcome> {
      const argv = ['node', 'feedmill', ...words, ...service]
      const outcome = await outcomeOf(async () => void (await program(argv).parseAsync(argv)))
      const told = [...outcome.out, ...outcome.err, String(outcome.error)].join('\n')
      expect(told).not.toContain(emulator.clientSecret)
      return outcome
    },
    /** The JSON body of the service for a path, without the command line. */
    async body(path: string, scope?: string): Promise<Record<string, unknown>> {
      return JSON.parse((await bodyOf(await send(path, scope))).toString())
    },
    bytes: async (path: string) => bodyOf(await send(path)),
  }
}

/** The values that a command printed, one JSON value a line. */
export function values(outcome: Outcome): unknown[] {
  expect([outcome.error, outcome.err]).toEqual([undefined, []])
  return outcome.out.filter(line => line !== '').map(line => JSON.parse(line))
}

/** The lines that a command printed for people, each as its cells. */
export function cells(outcome: Outcome): string[][] {
  expect([outcome.error, outcome.err]).toEqual([undefined, []])
  return outcome.out.map(line => line.trim().split(/ {2,}/))
}
