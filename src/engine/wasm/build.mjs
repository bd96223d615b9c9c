// Compiles the AssemblyScript of this folder, and bundles the programs of workers. Each becomes a
// TypeScript module that holds it as text, so that bundlers and CommonJS need no file beside the
// code. The modules are not in git: the build, the checks and the tests run this script first. It
// does nothing for a module whose sources have not changed.

import { createHash } from 'node:crypto'
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const ROOT = new URL('../../../', import.meta.url)
/**
 * The WebAssembly modules. Each works in a memory that its host makes and shares, which has the
 * given least and most number of pages of 64 KiB.
 */
const MODULES = [
  { source: 'src/engine/wasm/inflate.ts', pages: [107, 107], module: 'src/engine/codec/gzip/inflate-binary.ts', name: 'INFLATE' },
  { source: 'src/engine/wasm/columns.ts', pages: [136, 136], module: 'src/engine/codec/columns/columns-binary.ts', name: 'COLUMNS' },
  { source: 'src/engine/wasm/scan.ts', pages: [26, 1024], module: 'src/engine/codec/tsv/scan-binary.ts', name: 'SCAN' },
  { source: 'src/engine/wasm/pages.ts', pages: [80, 80], module: 'src/integrations/parquet/pages-binary.ts', name: 'PAGES' },
]

/** Programs that start from their text. `from` lists the folders of their sources. */
const WORKERS = [
  {
    source: 'src/engine/worker/inflate-worker.ts',
    from: ['src/engine/worker', 'src/engine/codec', 'src/engine/codec/gzip', 'src/engine'],
    module: 'src/engine/stages/inflate-worker-source.ts',
    name: 'INFLATE_WORKER',
  },
]

/** Vitest calls this before it runs any test. */
export async function setup() {
  const wasm = await filesIn('src/engine/wasm')
  for (const module of MODULES) await write(module, wasm, () => moduleLines(module))
  for (const worker of WORKERS) {
    const sources = (await Promise.all(worker.from.map(filesIn))).flat().filter(path => !MODULES.some(({ module }) => module === path))
    await write(worker, sources, () => workerLines(worker))
  }
}

async function filesIn(folder) {
  const names = await readdir(new URL(`${folder}/`, ROOT))
  return names.filter(name => name.endsWith('.ts')).map(name => `${folder}/${name}`)
}

async function write({ source, module }, sources, lines) {
  const paths = [...sources.toSorted(), 'src/engine/wasm/build.mjs', 'package-lock.json']
  const inputs = await Promise.all(paths.map(path => readFile(new URL(path, ROOT))))
  const digest = createHash('sha256').update(Buffer.concat(inputs)).digest('hex')
  const present = await readFile(new URL(module, ROOT), 'utf8').catch(() => '')
  if (present.includes(digest)) return
  const first = `// Made by src/engine/wasm/build.mjs from ${source}, from sources of this digest: ${digest}`
  await writeFile(new URL(module, ROOT), [first, '', ...(await lines()), ''].join('\n'))
}

async function moduleLines({ source, pages, name }) {
  const binary = await compile(source, pages)
  return [
    '/** The WebAssembly module, in Base64. */',
    `export const ${name}_BINARY = '${Buffer.from(binary).toString('base64')}'`,
    '',
    '/** The least that its memory may have, of 64 KiB each. */',
    `export const ${name}_PAGES = ${pages[0]}`,
  ]
}

async function workerLines({ source, name }) {
  const { build } = await import('tsup')
  const outDir = await mkdtemp(join(tmpdir(), 'feedmill-worker-'))
  try {
    const entry = { worker: fileURLToPath(new URL(source, ROOT)) }
    await build({ config: false, silent: true, entry, outDir, format: 'cjs', target: 'node20', minify: true, splitting: false })
    const text = await readFile(`${outDir}/worker.js`, 'utf8').catch(() => readFile(`${outDir}/worker.cjs`, 'utf8'))
    return ['/** The program, as a CommonJS script. */', `export const ${name} = ${JSON.stringify(text)}`]
  } finally {
    await rm(outDir, { recursive: true, force: true })
  }
}

async function compile(source, [initial, maximum]) {
  const { default: asc } = await import('assemblyscript/asc')
  const memory = ['--importMemory', '--sharedMemory', '--initialMemory', `${initial}`, '--maximumMemory', `${maximum}`]
  const options = ['-O3', '--noAssert', '--runtime', 'stub', '--enable', 'simd', '--enable', 'threads', ...memory]
  let binary
  const { error, stderr } = await asc.main([source, '--outFile', 'module.wasm', ...options], {
    readFile: (path, base) => readFile(new URL(path, base === '.' ? ROOT : new URL(`${base}/`, ROOT)), 'utf8').catch(() => null),
    writeFile: (path, content) => {
      if (path === 'module.wasm') binary = content
    },
    listFiles: () => [],
  })
  if (error) {
    console.error(`${source} does not compile:\n${stderr.toString()}`)
    throw error
  }
  return binary
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await setup()
