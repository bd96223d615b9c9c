// The package as its users get it: packed, unpacked, imported both ways, type-checked both ways,
// and its command run. It is one piece because the package is packed and installed once for all of
// it.

import { execFile, fork, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, relative, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { gzipSync } from 'node:zlib'
import { build } from 'esbuild'
import ts from 'typescript'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { testExamples } from './examples'
import { brokenLinks, pagesIn } from './markdown-links'
import { linkCommand, linkPackages, packedPackage, plainInstall } from './packed-package'
import { projectFolder } from './project-folder'
import { testProjectOfStranger } from './project-of-a-stranger'
import { packedProblems } from './release/rules'
import { testSearch } from './site/search'
import {
  expectRun,
  moduleOf,
  problemsOf,
  type SnippetRun,
  snippets,
  writeModules,
} from './snippets'

const run = promisify(execFile)
const ROOT = resolve(import.meta.dirname, '..')
let folder: string
let installed: string
/** A folder elsewhere, with the package and what comes with it, and no optional package. */
let plain: string

// Inside the project, so that the package's dependencies resolve from the project's own.
beforeAll(async () => {
  folder = await projectFolder('package')
  installed = await packedPackage(folder)
  plain = await plainInstall(installed)
  await linkCommand(folder)
}, 300_000)

afterAll(() => Promise.all([folder, plain].map(path => rm(path, { recursive: true, force: true }))))

async function unlink(...names: string[]): Promise<void> {
  for (const name of names) await rm(join(plain, 'node_modules', name))
}

/** Name of the installed package that a file is of. */
function packageOf(path: string): string | undefined {
  return /node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(path)?.[1]
}

const idOf = (name: string) => name.replace(/\W/g, '_')

const consumer = (load: (name: string) => string) => `
${load('feedmill')}
${load('feedmill/engines')}
${load('feedmill/bench')}
${load('feedmill/service')}
${load('feedmill/emulator')}
${load('feedmill/sync')}
${load('feedmill/queue')}
${load('feedmill/duckdb')}
${load('feedmill/opentelemetry')}
${load('feedmill/arrow')}
${load('feedmill/parquet')}
${load('feedmill/postgres')}
${load('feedmill/s3')}
`

const EMULATOR_TYPES = `import { createEmulator, type Emulator } from 'feedmill/emulator'
const emulator: Emulator = createEmulator({ world: { seed: 1, items: 10 }, cache: { cacheBytes: 1 } })
const fetchLike: Emulator['fetch'] = emulator.fetch
export const answer: Promise<Response> = fetchLike(new Request('http://emulator/'))
export const address: Promise<string> = emulator.listen({ port: 0 }).then(({ url }) => url)
// What a package that is missing leaves is any, of which nothing is wrong.
// @ts-expect-error a text is no number
createEmulator({ world: { seed: '1', items: 10 } })
// @ts-expect-error the answer is no number
export const wrong: Promise<number> = emulator.fetch(new Request('http://emulator/'))
// @ts-expect-error the emulator has no such method
emulator.serve()
// @ts-expect-error a port is a number
emulator.listen({ port: '0' })
`

/** The function of the snippets' preamble that writes a sample, by the command of the package. */
const packedSample = (command: string) => `import { execFileSync } from 'node:child_process'
export async function writeSample(path: string, { items, seed }: { items: number; seed: number }): Promise<{ rows: number }> {
  const words = ['sample', path, '--items', String(items), '--seed', String(seed), '--json']
  return JSON.parse(execFileSync(${JSON.stringify(command)}, words, { encoding: 'utf8' }))
}
`

test('holds what it needs and nothing else', async () => {
  const entries = await readdir(installed, { recursive: true, withFileTypes: true })
  const names = entries
    .filter(entry => entry.isFile())
    .map(entry => relative(installed, join(entry.parentPath, entry.name)))
  expect(packedProblems(names)).toEqual([])
  const built = names.filter(name => name.startsWith('dist/'))
  expect(built.length).toBeGreaterThan(10)
  const [copyright] = /Copyright .*/.exec(
    await readFile(join(ROOT, 'node_modules/oauth4webapi/LICENSE.md'), 'utf8'),
  )!
  const texts = await Promise.all(built.map(name => readFile(join(installed, name), 'utf8')))
  expect(texts.some(text => text.includes(copyright))).toBe(true)
  const { dependencies, scripts } = JSON.parse(
    await readFile(join(installed, 'package.json'), 'utf8'),
  )
  expect(Object.keys(scripts).filter(name => /install/.test(name))).toEqual([])
  expect(Object.keys(dependencies).length).toBeLessThanOrEqual(6)
})

test('every relative link and image of its pages leads to one of its files', () => {
  const pages = pagesIn(installed)
  expect(pages).toEqual(
    expect.arrayContaining([
      'README.md',
      'src/api/feedmill.md',
      'src/guide/rows.md',
      'src/reference/options.md',
    ]),
  )
  expect(brokenLinks(installed, pages)).toEqual([])
})

describe('the search', () => testSearch(() => installed))

const PROGRAM = `
const rows = await pipeline([gzipSync('itemId\\tpriceValue\\nv1|1|0\\t9.90\\n')]).to(new Gunzip()).to(new TsvRowParser({ schema: itemSchema })).map(row => row.toObject()).toArray()
const emulator = createEmulator({ world: { seed: 1, items: 10 } })
const status = (await emulator.fetch(new Request('http://emulator' + emulator.feedBasePath + '/item'))).status
await emulator.close()
console.log(JSON.stringify([rows[0].itemId, rows[0].priceValue, typeof createFeedService, typeof sync, typeof startWorker, typeof duckdbTarget, typeof arrowSink, typeof parquetSink, typeof postgresTarget, typeof bucketTarget, typeof instrument, typeof inspect, typeof createInflater, status, defineBench({ name: 'a', pipeline: () => 1 }).name]))
`
const IMPORTS = [
  ['gzipSync', 'node:zlib'],
  ['Gunzip, TsvRowParser, itemSchema, pipeline', 'feedmill'],
  ['createInflater', 'feedmill/engines'],
  ['defineBench', 'feedmill/bench'],
  ['inspect', 'feedmill/inspect'],
  ['createFeedService', 'feedmill/service'],
  ['createEmulator', 'feedmill/emulator'],
  ['sync', 'feedmill/sync'],
  ['startWorker', 'feedmill/queue'],
  ['duckdbTarget', 'feedmill/duckdb'],
  ['instrument', 'feedmill/opentelemetry'],
  ['arrowSink', 'feedmill/arrow'],
  ['parquetSink', 'feedmill/parquet'],
  ['postgresTarget', 'feedmill/postgres'],
  ['bucketTarget', 'feedmill/s3'],
] as const

test('works as an ES module and as CommonJS', async () => {
  const imports = IMPORTS.map(([names, from]) => `import { ${names} } from '${from}'\n`).join('')
  const requires = IMPORTS.map(([names, from]) => `const { ${names} } = require('${from}')\n`).join(
    '',
  )
  const esm = `${imports}${PROGRAM}`
  const cjs = `${requires};(async () => {${PROGRAM}})()`
  await writeFile(join(folder, 'use.mjs'), esm)
  await writeFile(join(folder, 'use.cjs'), cjs)
  for (const file of ['use.mjs', 'use.cjs']) {
    const { stdout } = await run(process.execPath, [join(folder, file)])
    expect(JSON.parse(stdout)).toEqual(['v1|1|0', '9.90', ...Array(11).fill('function'), 401, 'a'])
  }
})

test('every class has its public name, whatever bundling made of it', async () => {
  const program = `
const entries = ['feedmill', 'feedmill/engines', 'feedmill/bench', 'feedmill/service', 'feedmill/emulator', 'feedmill/sync', 'feedmill/queue', 'feedmill/duckdb', 'feedmill/arrow', 'feedmill/parquet', 'feedmill/postgres', 'feedmill/s3', 'feedmill/opentelemetry']
const isClass = value => typeof value === 'function' && /^class\\b/.test(Function.prototype.toString.call(value))
Promise.all(entries.map(entry => LOAD(entry))).then(modules => {
  const classes = modules.flatMap(module => Object.entries(module)).filter(([, value]) => isClass(value))
  console.log(JSON.stringify(classes.map(([name, value]) => [name, value.name])))
})`
  for (const [file, load] of [
    ['names.mjs', 'import'],
    ['names.cjs', 'require'],
  ] as const) {
    await writeFile(join(folder, file), program.replace('LOAD', load))
    const names: [string, string][] = JSON.parse(
      (await run(process.execPath, [join(folder, file)])).stdout,
    )
    expect(names.length).toBeGreaterThan(10)
    expect(names.filter(([name, own]) => name !== own)).toEqual([])
  }
})

describe('an ingestion in the project of a stranger', () => {
  testProjectOfStranger(() => join(plain, 'node_modules'))
})

describe('the example projects', () => {
  testExamples(() => folder)
})

describe('a plain install', () => {
  const cli = () => join(plain, 'node_modules/.bin/feedmill')
  const code = (source: string) =>
    run(process.execPath, ['--input-type=module', '--eval', source], { cwd: plain })

  test('its command starts', async () => {
    const { version } = JSON.parse(await readFile(join(ROOT, 'package.json'), 'utf8'))
    const help = await run('npx', ['--offline', 'feedmill', '--help'], { cwd: plain })
    expect([
      help.stdout.startsWith('Usage: feedmill'),
      help.stdout.includes('Exit codes:'),
    ]).toEqual([true, true])
    expect((await run(cli(), ['--version'])).stdout).toBe(`${version}\n`)
  })

  test('its command measures a file', async () => {
    const path = join(plain, 'items.tsv.gz')
    await writeFile(path, gzipSync(`itemId\ttitle\n${'v1|1|0\tone\n'.repeat(1_000)}`))
    const { stdout } = await run(cli(), ['bench', '--file', path, '--rounds', '1', '--json', '-'])
    expect(JSON.parse(stdout)).toMatchObject({ kind: 'feedmill-bench' })
  }, 60_000)

  test.each([
    ['serve', [], ['hono@^4', '@hono/node-server@^2']],
    ['demo', [], ['hono@^4', '@hono/node-server@^2']],
    ['worker', ['--queue', 'redis://127.0.0.1', '--to', 'x'], ['bullmq@^6', 'ioredis@^6']],
  ])('%s says in one line what it needs', async (command, words, packages) => {
    const failure = await run(cli(), [command, ...words], { cwd: plain }).catch(error => error)
    expect([failure.code, failure.stdout, failure.stderr.trimEnd().split('\n').length]).toEqual([
      1,
      '',
      1,
    ])
    expect(failure.stderr).toMatch(
      new RegExp(`^feedmill: DEPENDENCY_MISSING: feedmill ${command} needs `),
    )
    for (const name of packages) expect(failure.stderr).toContain(name)
  })

  test('wrong usage is exit code 2, in one line', async () => {
    for (const words of [
      ['what'],
      ['bench'],
      ['bench', '--file', '/nowhere'],
      ['serve', '--port', 'x'],
    ]) {
      const failure = await run(cli(), words).catch(error => error)
      expect([failure.code, failure.stdout, failure.stderr.trimEnd().split('\n').length]).toEqual([
        2,
        '',
        1,
      ])
    }
  })

  test('a queue fails by a typed error without its packages', async () => {
    const { stdout } = await code(`import { queueStatus } from 'feedmill/queue'
queueStatus({ url: 'redis://127.0.0.1' }).then(() => console.log('no error'), error => console.log(error.code, error.message))`)
    expect(stdout).toBe(
      'DEPENDENCY_MISSING feedmill/queue needs the packages bullmq and ioredis: npm install bullmq@^6 ioredis@^6\n',
    )
  })

  test('DuckDB fails by a typed error without its package', async () => {
    const { stdout } = await code(`import { duckdbTarget } from 'feedmill/duckdb'
const signal = new AbortController().signal
const origin = { marketplace: 'MKT_US', service: 'https://service.test' }
duckdbTarget('x.duckdb').open({ origin, memoryBytes: 2 ** 26, signal }).then(() => console.log('no error'), error => console.log(error.code, error.message))`)
    expect(stdout).toBe(
      'DEPENDENCY_MISSING feedmill/duckdb needs the package @duckdb/node-api: npm install @duckdb/node-api@>=1.5.6\n',
    )
  })

  test('Arrow fails by a typed error without its package', async () => {
    const { stdout } = await code(`import { toArrow } from 'feedmill/arrow'
toArrow({ column() {}, [Symbol.iterator]() {} }).then(() => console.log('no error'), error => console.log(error.code, error.message))`)
    expect(stdout).toBe(
      'DEPENDENCY_MISSING toArrow of feedmill/arrow needs the package apache-arrow: npm install apache-arrow@^21\n',
    )
  })

  test('Parquet needs no package', async () => {
    const { stdout } = await code(`import { defineSchema, pipeline, text } from 'feedmill'
import { parquetSink } from 'feedmill/parquet'
import { readFileSync } from 'node:fs'
const schema = defineSchema({ name: 'a', columns: { a: text() } })
await pipeline([{ a: 'one' }]).run(parquetSink('own.parquet', { schema }))
console.log(readFileSync('own.parquet', 'latin1').slice(-4))`)
    expect(stdout).toBe('PAR1\n')
  })

  test('OpenTelemetry fails by a typed error without its package', async () => {
    const { stdout } = await code(`import { instrument } from 'feedmill/opentelemetry'
instrument().then(() => console.log('no error'), error => console.log(error.code, error.message))`)
    expect(stdout).toBe(
      'DEPENDENCY_MISSING feedmill/opentelemetry needs the package @opentelemetry/api: npm install @opentelemetry/api@^1.9\n',
    )
  })

  test('PostgreSQL fails by a typed error without its packages', async () => {
    const { stdout } = await code(`import { postgresSink } from 'feedmill/postgres'
postgresSink('postgres://127.0.0.1:1/none', { table: 'rows' }).open().then(() => console.log('no error'), error => console.log(error.code, error.message))`)
    expect(stdout).toBe(
      'DEPENDENCY_MISSING feedmill/postgres needs the package pg: npm install pg@^8.16 pg-copy-streams@^7\n',
    )
  })

  test.each([true, false])(
    "its declarations need Node's types only, in both module systems, and those of the emulator are whole without its packages (exactOptionalPropertyTypes %s)",
    async exact => {
      await linkPackages(plain, ['@types/node', 'undici-types'])
      const sources = {
        'use.mts': consumer(
          name =>
            `import * as m_${idOf(name)} from '${name}'; export const k_${idOf(name)}: object = m_${idOf(name)}`,
        ),
        'use.cts': consumer(
          name =>
            `import m_${idOf(name)} = require('${name}'); export const k_${idOf(name)}: object = m_${idOf(name)}`,
        ),
        'emulator.mts': EMULATOR_TYPES,
      }
      for (const [name, source] of Object.entries(sources))
        await writeFile(join(plain, name), source)
      const options = {
        module: 'NodeNext',
        moduleResolution: 'NodeNext',
        target: 'ES2022',
        strict: true,
        exactOptionalPropertyTypes: exact,
        noEmit: true,
        types: ['node'],
        skipLibCheck: false,
        // What comes with the compiler is checked by those who make it.
        skipDefaultLibCheck: true,
      }
      await writeFile(
        join(plain, 'tsconfig.json'),
        JSON.stringify({ compilerOptions: options, files: Object.keys(sources) }),
      )
      const tsc = [join(ROOT, 'node_modules/typescript/bin/tsc'), '-p', plain, '--listFiles']
      const { stdout } = await run(process.execPath, tsc, { maxBuffer: 1 << 24 })
        .catch(error => error as { stdout: string })
        .finally(() => unlink('@types/node', 'undici-types'))
      expect(stdout.split('\n').filter(line => line.includes('error TS'))).toEqual([])
      expect(stdout).toContain('dist/emulator.d.ts')
      expect(stdout).toContain('dist/emulator.d.cts')
      expect(stdout).not.toMatch(
        /node_modules\/(zod|undici|@?hono|papaparse|bullmq|ioredis|@duckdb|apache-arrow|pg|pg-copy-streams|@opentelemetry)\//,
      )
    },
    120_000,
  )

  test('every snippet of its documents type-checks and runs', async () => {
    const brought = [
      'hono',
      '@hono/node-server',
      '@duckdb/node-api',
      '@duckdb/node-bindings',
      '@opentelemetry/api',
      'echarts',
      'zrender',
      'apache-arrow',
      'flatbuffers',
      'tslib',
      'undici',
      '@types/node',
      'undici-types',
    ]
    const project = join(plain, 'snippets')
    const preamble = await readFile(join(ROOT, 'test/readme-preamble.ts'), 'utf8')
    await mkdir(join(project, 'test'), { recursive: true })
    await writeFile(join(project, 'package.json'), JSON.stringify({ type: 'module' }))
    await writeFile(
      join(project, 'test/readme-preamble.ts'),
      preamble
        .replace("'../src/index'", "'feedmill'")
        .replace("'../src/emulator'", "'feedmill/emulator'")
        .replace("'../src/service'", "'feedmill/service'")
        .replace("'../src/cli/sample'", "'./packed-sample.js'"),
    )
    await writeFile(join(project, 'test/packed-sample.ts'), packedSample(cli()))
    writeModules(project)
    await linkPackages(plain, brought)
    try {
      const problems = problemsOf(project, {
        module: ts.ModuleKind.NodeNext,
        moduleResolution: ts.ModuleResolutionKind.NodeNext,
        target: ts.ScriptTarget.ES2022,
        strict: true,
        exactOptionalPropertyTypes: true,
        noUncheckedIndexedAccess: true,
        skipLibCheck: true,
        types: ['node'],
        typeRoots: [join(plain, 'node_modules/@types')],
        sourceMap: true,
      })
      expect(problems).toEqual([])
      const compiled = [
        join(project, 'test/readme-preamble.js'),
        ...snippets.map(snippet => moduleOf(project, snippet, 'js')),
      ]
      const child = fork(join(ROOT, 'test/snippet-runner.mjs'), compiled, {
        cwd: project,
        serialization: 'advanced',
        execArgv: ['--enable-source-maps'],
        env: { ...process.env, NODE_OPTIONS: '' },
      })
      const runs: (SnippetRun & { readonly error?: string })[] = []
      child.on('message', run => runs.push(run as SnippetRun))
      expect(await once(child, 'exit')).toEqual([0, null])
      const failures = runs.flatMap(({ error }, n) =>
        error === undefined ? [] : [`${snippets[n]!.page}: ${error}`],
      )
      expect(failures).toEqual([])
      expect(runs).toHaveLength(snippets.length)
      for (const [n, snippet] of snippets.entries()) expectRun(snippet, runs[n]!)
    } finally {
      await unlink(...brought)
    }
  }, 120_000)

  test('it bundles with esbuild for both module systems, and the bundle runs where no package is', async () => {
    const away = await mkdtemp(join(tmpdir(), 'feedmill-bundle-'))
    const use = `
const rows = await pipeline([gzipSync('itemId\\tpriceValue\\nv1|1|0\\t9.90\\n')]).to(new Gunzip()).to(new TsvRowParser({ schema: itemSchema })).map(row => row.toObject()).toArray()
const missing = [await instrument().catch(error => error.code)]
console.log(JSON.stringify([rows[0].itemId, typeof sync, typeof createFeedService, ...missing]))`
    const names = IMPORTS.filter(([, from]) => from !== 'feedmill/emulator')
    const sources = {
      esm: names.map(([what, from]) => `import { ${what} } from '${from}'\n`).join('') + use,
      cjs: `${names.map(([what, from]) => `const { ${what} } = require('${from}')\n`).join('')};(async () => {${use}})()`,
    }
    try {
      for (const [format, contents] of Object.entries(sources)) {
        const outfile = join(away, format === 'esm' ? 'out.mjs' : 'out.cjs')
        const { warnings } = await build({
          stdin: { contents, resolveDir: plain },
          outfile,
          bundle: true,
          platform: 'node',
          format: format as 'esm' | 'cjs',
          logLevel: 'silent',
        })
        expect(warnings).toEqual([])
        const { stdout } = await run(process.execPath, [outfile], { cwd: away })
        const missing = ['DEPENDENCY_MISSING']
        expect(JSON.parse(stdout)).toEqual(['v1|1|0', 'function', 'function', ...missing])
      }
    } finally {
      await rm(away, { recursive: true })
    }
  }, 60_000)

  test('a bundle holds what is imported, and of other packages only what that uses', async () => {
    const outputOf = async (names: string, from = 'feedmill') => {
      const { metafile } = await build({
        stdin: {
          contents: `import { ${names} } from '${from}'; console.log(${names})`,
          resolveDir: plain,
        },
        bundle: true,
        minify: true,
        metafile: true,
        write: false,
        platform: 'node',
        format: 'esm',
      })
      const { bytes, inputs } = Object.values(metafile.outputs)[0]!
      const used = Object.entries(inputs).filter(([, { bytesInOutput }]) => bytesInOutput > 0)
      const packages = used.map(([path]) => packageOf(path)).filter(name => name !== undefined)
      return { bytes, packages: [...new Set(packages)].sort() }
    }
    const builder = await outputOf('pipeline')
    expect(builder.packages).toEqual(['feedmill', 'minipass'])
    expect(builder.bytes).toBeLessThan(64_000)
    const stages = await outputOf('pipeline, Gunzip, TsvRowParser')
    expect(stages.packages).toEqual(['feedmill', 'fflate', 'minipass'])
    expect(stages.bytes).toBeLessThan(186_000)
    const inflater = await outputOf('createInflater', 'feedmill/engines')
    expect(inflater.packages).toEqual(['feedmill', 'minipass'])
    expect(inflater.bytes).toBeLessThan(60_000)
    expect((await outputOf('csvSink')).packages).toContain('papaparse')
  })

  test('importing it loads no package that only some of its parts need', async () => {
    // Writes down each module that Node loads, from the thread that runs the hooks.
    const hooks = `
import { appendFileSync } from 'node:fs'
export async function load(url, context, next) {
  appendFileSync(1, url + '\\n')
  return next(url, context)
}`
    const asModule = (source: string) => `data:text/javascript,${encodeURIComponent(source)}`
    const register = `import { register } from 'node:module'; register(${JSON.stringify(asModule(hooks))})`
    const imported = await run(
      process.execPath,
      ['--import', asModule(register), '--input-type=module', '--eval', "await import('feedmill')"],
      { cwd: plain },
    )
    const required = await run(
      process.execPath,
      ['--eval', "require('feedmill'); console.log(Object.keys(require.cache).join('\\n'))"],
      { cwd: plain },
    )
    for (const { stdout } of [imported, required]) {
      const paths = stdout.trim().split('\n')
      const own = paths.filter(path => path.includes('/node_modules/feedmill/dist/'))
      expect(own.length).toBeGreaterThan(1)
      // Finding and opening a file takes Node longer than compiling what stands in it.
      expect(own.length).toBeLessThan(10)
      const packages = new Set(paths.filter(path => !own.includes(path)).map(packageOf))
      packages.delete(undefined)
      expect([...packages]).toEqual(['minipass'])
      // oauth4webapi is inside the CommonJS files, where its errors and requests have these names.
      for (const path of own)
        expect(
          await readFile(path.startsWith('file:') ? fileURLToPath(path) : path, 'utf8'),
        ).not.toMatch(/oauth4webapi|OperationProcessingError/)
    }
  })

  test('its size', async () => {
    const files = await readdir(installed, { recursive: true, withFileTypes: true })
    const sizes = await Promise.all(
      files.filter(file => file.isFile()).map(file => stat(join(file.parentPath, file.name))),
    )
    expect(sizes.reduce((sum, { size }) => sum + size, 0)).toBeLessThan(5_600_000)
  })
})

test.each([
  ['', []],
  [', killed in the middle', ['--interrupt']],
])(
  'its command proves a small ingestion right%s, in one line of JSON',
  async (_, words) => {
    const out = join(folder, 'items.ndjson')
    const cli = join(installed, 'dist/cli.js')
    const { stdout } = await run(process.execPath, [
      cli,
      'demo',
      '--items',
      '400',
      '--seed',
      '3',
      '--json',
      '--out',
      out,
      ...words,
    ])
    const result = JSON.parse(stdout)
    expect(result).toMatchObject({ ok: true, verified: true, snapshots: 24 })
    expect(result.filesBeforeKill > 0).toBe(words.length > 0)
    const lines = (await readFile(out, 'utf8')).trimEnd().split('\n')
    expect(lines.length).toBe(result.items)
    expect(JSON.parse(lines[0]!)).toHaveProperty('itemId')
    expect(stdout.trimEnd().split('\n')).toHaveLength(1)
  },
  60_000,
)

test('its command synchronises until a signal comes, and goes on from there', async () => {
  const cli = join(installed, 'dist/cli.js')
  const now = '2026-03-01T12:00:00Z'
  const server = spawn(process.execPath, [cli, 'serve', '--items', '500', '--now', now, '--json'], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  try {
    const [line] = (await once(server.stdout, 'data')) as [Buffer]
    const { url, tokenUrl, clientId, clientSecret } = JSON.parse(line.toString())
    const env = {
      ...process.env,
      FEEDMILL_BASE_URL: url,
      FEEDMILL_TOKEN_URL: tokenUrl,
      FEEDMILL_SCOPE_BASE: 'https://api.market.example/oauth',
      FEEDMILL_CLIENT_ID: clientId,
      FEEDMILL_CLIENT_SECRET: clientSecret,
    }
    const words = [
      cli,
      'sync',
      '--marketplace',
      'MKT_US',
      '--category',
      '220',
      '--state',
      join(folder, 'state'),
      '--now',
      now,
      '--json',
    ]
    const following = spawn(process.execPath, [...words, '--follow'], {
      env,
      stdio: ['ignore', 'pipe', 'ignore'],
    })
    const exited = once(following, 'exit')
    await once(following.stdout, 'data')
    following.stdout.resume()
    following.kill('SIGTERM')
    expect(await exited).toEqual([143, null])

    const { stdout } = await run(process.execPath, words, { env })
    const summary = JSON.parse(stdout.trimEnd().split('\n').at(-1)!)
    expect(summary).toMatchObject({
      type: 'summary',
      failed: [],
      categories: [{ watermark: '2026-03-01T11:00:00.000Z' }],
    })
    const status = await run(process.execPath, [
      cli,
      'status',
      join(folder, 'state'),
      '--now',
      now,
      '--json',
    ])
    expect(JSON.parse(status.stdout)).toMatchObject({
      categories: [{ categoryId: '220', due: { count: 0 }, lost: { count: 0 } }],
    })
    const items = await run(process.execPath, [cli, 'export', '--state', join(folder, 'state')], {
      maxBuffer: 1 << 26,
    })
    expect(items.stdout.trimEnd().split('\n').length).toBeGreaterThan(400)
  } finally {
    server.kill()
  }
}, 60_000)

test('its command serves until it is stopped', async () => {
  const words = [
    'serve',
    '--port',
    '0',
    '--items',
    '500',
    '--seed',
    '7',
    '--now',
    '2026-03-01T12:00:00Z',
    '--json',
  ]
  const child = spawn(process.execPath, [join(installed, 'dist/cli.js'), ...words], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const [line] = (await once(child.stdout, 'data')) as [Buffer]
  const address = JSON.parse(line.toString())
  expect(Object.keys(address)).toEqual(
    expect.arrayContaining([
      'url',
      'tokenUrl',
      'clientId',
      'clientSecret',
      'scopeBase',
      'signingKeyIds',
    ]),
  )
  const description = (await (await fetch(`${address.url}/openapi.json`)).json()) as {
    openapi: string
  }
  expect(description.openapi).toMatch(/^3\.1/)
  child.kill('SIGTERM')
  expect(await once(child, 'exit')).toEqual([0, null])
  await expect(fetch(address.url)).rejects.toThrow()
}, 30_000)

test('its command fails where an option is wrong', async () => {
  await expect(
    run(process.execPath, [join(installed, 'dist/cli.js'), 'demo', '--items', 'many']),
  ).rejects.toMatchObject({ code: 2 })
})
