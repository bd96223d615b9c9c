// Makes a tree of sources slower by a known share, on purpose: before each call of a scanner, the
// thread is kept busy for that share of the time since the call before. So a thread that scans
// takes that much longer, however fast the scanner is and whatever else the thread does.

import { readdir, readFile, writeFile } from 'node:fs/promises'
import { dirname, join, relative } from 'node:path'

/** Where scanners are called. */
const FOLDERS = ['src/codec', 'src/stages', 'src/pipeline']

/** The call of a scan engine by the code that uses it: `this.#options.scanner.scan(`. */
const SCAN_CALL = /([\w.#!?]*scanner)\.scan\(/gi

const BUSY_MODULE = 'src/codec/busy.ts'

/**
 * @throws where no scanner is called: then nothing was slowed down, and a proof by it would prove
 * nothing
 */
export async function slowScanner(directory: string, share: number): Promise<void> {
  let calls = 0
  for (const path of await sourceFiles(directory)) {
    const text = await readFile(join(directory, path), 'utf8')
    const slowed = text.replace(SCAN_CALL, (_, scanner: string) => {
      calls++
      return `busy(${scanner}).scan(`
    })
    if (slowed === text) continue
    const specifier = relative(dirname(path), BUSY_MODULE)
      .replace(/\.ts$/, '')
      .replace(/^(?!\.)/, './')
    await writeFile(join(directory, path), `import { busy } from '${specifier}'\n${slowed}`)
  }
  await writeFile(join(directory, BUSY_MODULE), busyModule(share))
  if (calls === 0) throw new Error(`no scanner is called in ${FOLDERS.join(', ')}: see SCAN_CALL`)
}

async function sourceFiles(directory: string): Promise<string[]> {
  const lists = FOLDERS.map(async folder => {
    const paths = await readdir(join(directory, folder), { recursive: true })
    return paths.filter(path => path.endsWith('.ts')).map(path => `${folder}/${path}`)
  })
  return (await Promise.all(lists)).flat()
}

/**
 * The time since is by the clock or by the processor, whichever is less: neither waiting for a turn
 * nor a second thread is counted.
 */
function busyModule(share: number): string {
  return `
let clock = performance.now()
let cpu = process.cpuUsage()

export const busy = scanner => ({
  scan(...operands) {
    const { user, system } = process.cpuUsage(cpu)
    const now = performance.now()
    const until = now + Math.min(now - clock, (user + system) / 1000) * ${share}
    while (performance.now() < until);
    clock = performance.now()
    cpu = process.cpuUsage()
    return scanner.scan(...operands)
  },
})
`
}
