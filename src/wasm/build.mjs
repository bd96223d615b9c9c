// Compiles the AssemblyScript beside it and writes each binary as a TypeScript module, Base64 inside, so that bundlers
// and CommonJS need no file beside the code. What it writes is not kept in git: the build, the checks and the tests run this first.
// Nothing is done when none of what it is made from has changed since.

import { createHash } from 'node:crypto'
import { readdir, readFile, writeFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'

const ROOT = new URL('../../', import.meta.url)
const MODULES = [
  { source: 'src/wasm/inflate.ts', pages: 11, module: 'src/codec/gzip/inflate-binary.ts', name: 'INFLATE_BINARY' },
  { source: 'src/wasm/scan.ts', pages: 7, module: 'src/codec/tsv/scan-binary.ts', name: 'SCAN_BINARY' },
]

/** Vitest calls this before it runs any test. */
export async function setup() {
  for (const module of MODULES) await build(module)
}

async function build({ source, pages, module, name }) {
  const sources = (await readdir(new URL('src/wasm/', ROOT))).filter(file => file.endsWith('.ts')).toSorted()
  const paths = [...sources.map(file => `src/wasm/${file}`), 'src/wasm/build.mjs', 'package-lock.json']
  const inputs = await Promise.all(paths.map(path => readFile(new URL(path, ROOT))))
  const digest = createHash('sha256').update(Buffer.concat(inputs)).digest('hex')
  const present = await readFile(new URL(module, ROOT), 'utf8').catch(() => '')
  if (present.includes(digest)) return
  const binary = await compile(source, pages)
  const lines = [
    `// Made by src/wasm/build.mjs from ${source}, from sources of this digest: ${digest}`,
    '',
    '/** The WebAssembly module, in Base64. */',
    `export const ${name} = '${Buffer.from(binary).toString('base64')}'`,
    '',
  ]
  await writeFile(new URL(module, ROOT), lines.join('\n'))
}

async function compile(source, pages) {
  const { default: asc } = await import('assemblyscript/asc')
  const memory = ['--initialMemory', `${pages}`, '--maximumMemory', `${pages}`]
  const options = ['-O3', '--noAssert', '--runtime', 'stub', '--enable', 'simd', ...memory]
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
