// Makes one part of a tree of sources slower by a known share, on purpose: from time to time the
// part keeps its thread busy for that share of the time since it last did. So a thread that uses the
// part takes that much longer, however fast the part is and whatever else the thread does.

import { readdir, readFile, writeFile } from 'node:fs/promises'
import { dirname, join, relative } from 'node:path'

interface SlowedPart {
  /** The files or folders in which the call is looked for. */
  readonly places: readonly string[]
  /** The source text before which, or at whose end, the thread is kept busy. */
  readonly at: RegExp
  readonly replacement: string
  /** Reading the clocks at each call would itself be slow work where a part is called for each cell. */
  readonly everyCalls: number
}

export const SLOWED_PARTS = {
  scanner: {
    places: ['src/engine/codec', 'src/engine/stages', 'src/engine/pipeline'],
    // The call of a scan engine by the code that uses it: `this.#options.scanner.scan(`.
    at: /([\w.#!?]*scanner)\.scan\(/gi,
    replacement: '(busy(), $1).scan(',
    everyCalls: 1,
  },
  decoder: {
    places: ['src/engine/codec/kinds/timestamp.ts'],
    at: /function readTimestamp\([^{]*\{/g,
    replacement: '$&\n  busy()',
    everyCalls: 64,
  },
  joiner: {
    places: ['src/state/group-joiner.ts'],
    at: /protected override (?:async )?\*?transform\([^{]*\{/g,
    replacement: '$&\n    busy()',
    everyCalls: 1,
  },
  merger: {
    places: ['src/state/snapshot-merger.ts'],
    at: /protected override (?:async )?\*?transform\([^{]*\{/g,
    replacement: '$&\n    busy()',
    everyCalls: 1,
  },
} as const satisfies Record<string, SlowedPart>

export type SlowedPartName = keyof typeof SLOWED_PARTS

const BUSY_MODULE = 'src/engine/codec/busy.ts'

/**
 * @throws where the part is not found: then nothing was slowed down, and a proof by it would prove
 * nothing
 */
export async function slowPart(
  directory: string,
  name: SlowedPartName,
  share: number,
): Promise<void> {
  const { places, at, replacement, everyCalls } = SLOWED_PARTS[name]
  let calls = 0
  for (const path of await sourceFiles(directory, places)) {
    const text = await readFile(join(directory, path), 'utf8')
    const found = text.match(at)?.length ?? 0
    if (found === 0) continue
    calls += found
    const slowed = text.replace(at, replacement)
    const specifier = relative(dirname(path), BUSY_MODULE)
      .replace(/\.ts$/, '')
      .replace(/^(?!\.)/, './')
    await writeFile(join(directory, path), `import { busy } from '${specifier}'\n${slowed}`)
  }
  await writeFile(join(directory, BUSY_MODULE), busyModule(share, everyCalls))
  if (calls === 0) throw new Error(`there is no ${name} in ${places.join(', ')}: see SLOWED_PARTS`)
}

async function sourceFiles(directory: string, places: readonly string[]): Promise<string[]> {
  const lists = places.map(async place => {
    if (place.endsWith('.ts')) return [place]
    const paths = await readdir(join(directory, place), { recursive: true })
    return paths.filter(path => path.endsWith('.ts')).map(path => `${place}/${path}`)
  })
  return (await Promise.all(lists)).flat()
}

/**
 * The time since is by the clock or by the processor, whichever is less: neither waiting for a turn
 * nor a second thread is counted.
 */
function busyModule(share: number, everyCalls: number): string {
  return `
let calls = 0
let clock = performance.now()
let cpu = process.cpuUsage()

export function busy() {
  if (++calls % ${everyCalls} !== 0) return
  const { user, system } = process.cpuUsage(cpu)
  const now = performance.now()
  const until = now + Math.min(now - clock, (user + system) / 1000) * ${share}
  while (performance.now() < until);
  clock = performance.now()
  cpu = process.cpuUsage()
}
`
}
