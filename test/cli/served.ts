// A small emulated service on a socket, and commands run in this process against it.

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { vi } from 'vitest'
import type { SyncCommand } from '../../src/cli/sync/state-commands'
import { createEmulator, type EmulatorOptions } from '../../src/emulator'
import { openState } from '../../src/sync'

export const HOURS = 4

export async function served(options: Partial<EmulatorOptions> = {}) {
  const emulator = createEmulator({
    world: { seed: 5, items: 80, hours: HOURS, churn: 40 },
    ...options,
  })
  const { url } = await emulator.listen({ port: 0 })
  const folder = mkdtempSync(join(tmpdir(), 'feedmill-cli-'))
  const now = new Date(emulator.world.end.getTime() + 3_600_000)
  const command: SyncCommand & { readonly state: string } = {
    baseUrl: url,
    tokenUrl: url + emulator.tokenPath,
    scopeBase: emulator.scopeBase,
    credentials: credentialsFile(folder, emulator),
    marketplace: 'MKT_US',
    category: ['220'],
    state: join(folder, 'state'),
    follow: false,
    memory: 256 * 2 ** 20,
    keepFiles: 0,
    keepChanges: 2 ** 30,
    maxRemovedShare: 0.5,
    changesFormat: 'plain' as const,
    quarantine: false,
    json: false,
    now,
  }
  const close = async () => {
    await emulator.close()
    rmSync(folder, { recursive: true, force: true })
  }
  return { emulator, folder, now, command, close }
}

/** The path of a file with the credentials, which only the user of the tests can read. */
export function credentialsFile(
  folder: string,
  { clientId, clientSecret }: { readonly clientId: string; readonly clientSecret: string },
): string {
  const path = join(folder, 'credentials.json')
  writeFileSync(path, JSON.stringify({ clientId, clientSecret }), { mode: 0o600 })
  return path
}

export interface Outcome {
  /** Lines on standard output and on standard error. */
  readonly out: readonly string[]
  readonly err: readonly string[]
  readonly exitCode: typeof process.exitCode
  readonly error: unknown
}

/** The replacement of `write` of standard output. */
export function writing(hear: (text: string) => void): typeof process.stdout.write {
  return (chunk: string | Uint8Array, ...rest: unknown[]) => {
    hear(Buffer.from(chunk as string).toString())
    const done = rest.at(-1)
    if (typeof done === 'function') done()
    return true
  }
}

/** The output of a command, and its exit code. */
export async function outcomeOf(run: () => Promise<void>): Promise<Outcome> {
  const before = process.exitCode
  const out: string[] = []
  const err: string[] = []
  const log = vi
    .spyOn(process.stdout, 'write')
    .mockImplementation(writing(text => out.push(...text.replace(/\n$/, '').split('\n'))))
  const error = vi
    .spyOn(console, 'error')
    .mockImplementation(text => void err.push(...String(text).split('\n')))
  process.exitCode = undefined
  try {
    const failure = await run().then(
      () => undefined,
      (thrown: unknown) => thrown,
    )
    return { out, err, exitCode: process.exitCode, error: failure }
  } finally {
    process.exitCode = before
    log.mockRestore()
    error.mockRestore()
  }
}

/** Returns the identifiers of the items in the first category of a state folder. */
export async function itemIds(folder: string): Promise<string[]> {
  const state = await openState(folder)
  try {
    const ids: string[] = []
    for await (const block of state.categories[0]!.items())
      ids.push(...block.map(({ itemId }) => itemId))
    return ids
  } finally {
    await state.close()
  }
}
