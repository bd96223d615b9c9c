// The rules of the project that a compiler does not know: layers, cycles, adapters, untyped errors,
// file headers.

import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join, relative, resolve } from 'node:path'
import { expect, test } from 'vitest'
import { dependencies, peerDependencies } from '../package.json'

const SRC = resolve(import.meta.dirname, '../src')

/**
 * The rooms of `src/`. A room imports only from itself and through the doors of those before it. The
 * files of `src/` itself are the public entries, which stand between the rooms and the command line.
 */
const ROOMS = [
  'engine',
  'state',
  'bench',
  'service',
  'inspect',
  'sync',
  'integrations/queue',
  'integrations/duckdb',
  'integrations/opentelemetry',
  'integrations/arrow',
  'integrations/parquet',
  'integrations/postgres',
  'integrations/s3',
  'emulator',
  '.',
  'cli',
]

/** The layers of the engine: each imports only from itself and those before it. */
const LAYERS = [
  'errors.ts',
  'options.ts',
  'diagnostics',
  'disk',
  'core',
  'schema',
  'codec',
  'worker',
  'stages',
  'push',
  'pipeline',
  'sinks',
  'quarantine',
  'index.ts',
]

const MOST_FOLDERS = 10
/** The folders of pages that are made of the sources. */
const MADE = ['api', 'reference']

interface SourceFile {
  readonly path: string
  readonly room: string
  /** Of a file of the engine. */
  readonly layer: string | undefined
  readonly text: string
  /** Files of src that it imports. */
  readonly internal: readonly string[]
  readonly packages: readonly string[]
}

const files = readdirSync(SRC, { recursive: true, encoding: 'utf8' })
  // wasm/ is AssemblyScript, compiled into modules of codec/: it imports nothing and only those are
  // imported.
  .filter(path => path.endsWith('.ts') && !path.startsWith('engine/wasm/'))
  .map(readSource)
const byPath = new Map(files.map(file => [file.path, file]))

function readSource(path: string): SourceFile {
  const text = readFileSync(join(SRC, path), 'utf8')
  // The examples in comments import the package itself.
  const specifiers = [
    ...text
      .replace(/^ *\*.*$/gm, '')
      .matchAll(
        /(?:^|\n)\s*(?:import|export)\s[^'"]*?from\s+'([^']+)'|import\('([^']+)'\)|(?:^|\n)import '([^']+)'/g,
      ),
  ].map(([, from, dynamic, bare]) => (from ?? dynamic ?? bare)!)
  // The manifest and the tables of a world are data, not modules of a layer.
  const isModule = (name: string) => name.startsWith('.') && !name.endsWith('.json')
  const internal = specifiers.filter(isModule).map(name => resolveImport(path, name))
  return {
    path,
    room: /^(?:integrations\/)?[^/]+(?=\/)/.exec(path)?.[0] ?? '.',
    layer: /^engine\/([^/]+)/.exec(path)?.[1],
    text,
    internal,
    packages: specifiers.filter(name => !name.startsWith('.')),
  }
}

function resolveImport(from: string, specifier: string): string {
  const target = relative(SRC, resolve(SRC, dirname(from), specifier))
  return (
    [`${target}.ts`, join(target, 'index.ts')].find(candidate =>
      existsSync(join(SRC, candidate)),
    ) ?? target
  )
}

const isExternal = (name: string) => !name.startsWith('node:')

/** The imports that break a rule, each with the file that has it. */
const importsThat = (isWrong: (file: SourceFile, target: SourceFile) => boolean) =>
  files.flatMap(file =>
    file.internal
      .filter(target => isWrong(file, byPath.get(target)!))
      .map(target => `${file.path} -> ${target}`),
  )

test('every room and layer is known and every import resolves', () => {
  expect(files.length).toBeGreaterThan(50)
  expect(new Set(files.map(file => file.room))).toEqual(new Set(ROOMS))
  expect(new Set(files.flatMap(file => file.layer ?? []))).toEqual(new Set(LAYERS))
  expect(
    files.flatMap(file =>
      file.internal
        .filter(target => !byPath.has(target))
        .map(target => `${file.path} -> ${target}`),
    ),
  ).toEqual([])
  const folders = readdirSync(SRC, { withFileTypes: true }).filter(
    entry => entry.isDirectory() && !MADE.includes(entry.name),
  )
  expect(folders.length).toBeLessThanOrEqual(MOST_FOLDERS)
})

test('a room imports only from those before it, and a layer of the engine likewise', () => {
  const isLater = <T>(order: readonly T[], target: T, from: T) =>
    order.indexOf(target) > order.indexOf(from)
  expect(importsThat((file, target) => isLater(ROOMS, target.room, file.room))).toEqual([])
  expect(
    importsThat(
      (file, target) =>
        file.room === 'engine' &&
        target.room === 'engine' &&
        isLater(LAYERS, target.layer, file.layer),
    ),
  ).toEqual([])
})

test('src/README.md says which rooms a room imports', () => {
  const map = readFileSync(join(SRC, 'README.md'), 'utf8')
  const written = [...map.matchAll(/^\| `(\w+)\/` \| [^|]+ \|([^|]*)\|$/gm)].flatMap(
    ([, room, cell]) => [...cell!.matchAll(/`(\w+)\/`/g)].map(([, name]) => `${room} -> ${name}`),
  )
  const top = ({ room }: SourceFile) => room.split('/')[0]!
  const used = files.flatMap(file =>
    file.internal
      .map(target => byPath.get(target)!)
      .filter(target => top(target) !== top(file) && ![file.room, target.room].includes('.'))
      .map(target => `${top(file)} -> ${top(target)}`),
  )
  expect(written.length).toBeGreaterThan(9)
  expect(written.sort()).toEqual([...new Set(used)].sort())
})

test('a room is entered by its door, which nothing inside it uses', () => {
  const isDoor = ({ room, path }: SourceFile) => path === `${room}/index.ts`
  expect(
    importsThat(
      (file, target) => target.room !== '.' && isDoor(target) === (target.room === file.room),
    ),
  ).toEqual([])
})

test('the command line uses public names only, and measures as the benchmarks do', () => {
  expect(
    importsThat(
      (file, target) => file.room === 'cli' && !['.', 'cli', 'bench'].includes(target.room),
    ),
  ).toEqual([])
})

test('the emulator is imported by the command line only', () => {
  expect(
    importsThat(
      (file, target) =>
        target.room === 'emulator' &&
        !['emulator', 'cli'].includes(file.room) &&
        file.path !== 'emulator.ts',
    ),
  ).toEqual([])
  expect(
    importsThat((file, target) => target.path === 'emulator.ts' && file.room !== 'cli'),
  ).toEqual([])
})

test('there is no import cycle, imports of types included', () => {
  const done = new Set<string>()
  const visit = (path: string, trail: readonly string[]): string[] | undefined => {
    if (trail.includes(path)) return [...trail.slice(trail.indexOf(path)), path]
    if (done.has(path)) return undefined
    for (const target of importsOf(byPath.get(path)!)) {
      const cycle = visit(target, [...trail, path])
      if (cycle) return cycle
    }
    done.add(path)
    return undefined
  }
  for (const { path } of files) expect(visit(path, [])).toBeUndefined()
})

/**
 * The imports of a file, those of types included. A command starts its own file, which is loaded
 * then and names the type of the options that the command has.
 */
function importsOf({ room, path, text, internal }: SourceFile): string[] {
  const started = [...(room === 'cli' ? text.matchAll(/await import\('(\.[^']+)'\)/g) : [])].map(
    ([, name]) => resolveImport(path, name!),
  )
  return internal.filter(target => !started.includes(target))
}

test('each package is imported by one file, its adapter; the command line has adapters of its own', () => {
  const users = new Map<string, string[]>()
  for (const file of files)
    for (const name of file.packages.filter(isExternal)) {
      // The command line uses public names only, so it cannot use an adapter of another layer.
      const user = file.room === 'cli' ? `${name} in cli/` : name
      users.set(user, [...(users.get(user) ?? []), file.path])
    }
  expect([...users].filter(([, paths]) => new Set(paths).size > 1)).toEqual([])
  expect(users.size).toBeGreaterThan(3)
})

test('the build bundles no package that its users do not know of', () => {
  const known = Object.keys({ ...dependencies, ...peerDependencies })
  const imported = files.flatMap(file => file.packages.filter(isExternal))
  const isKnown = (name: string) => known.some(each => name === each || name.startsWith(`${each}/`))
  expect(imported.length).toBeGreaterThan(10)
  expect(imported.filter(name => !isKnown(name))).toEqual([])
})

test('codec and schema do no I/O', () => {
  const forbidden =
    /^node:(fs|net|http|https|http2|stream|zlib|child_process|worker_threads|timers|dns|tls)(\/|$)/
  const pure = files.filter(file => ['codec', 'schema'].includes(file.layer ?? ''))
  const wrong = pure.flatMap(file =>
    file.packages.filter(name => forbidden.test(name)).map(name => `${file.path} -> ${name}`),
  )
  // zlib.crc32 is a pure synchronous function; nothing else of node:zlib may be used here.
  const crcOnly = wrong.filter(
    line =>
      !(
        line === 'engine/codec/gzip/crc32.ts -> node:zlib' &&
        !/createGunzip|createInflate|gunzipSync/.test(
          byPath.get('engine/codec/gzip/crc32.ts')!.text,
        )
      ),
  )
  expect(crcOnly).toEqual([])
  const impure =
    /\b(Date\.now\(|performance\.now\(|Math\.random\(|setTimeout\(|setInterval\(|new Date\(\))/
  expect(pure.filter(file => impure.test(file.text)).map(file => file.path)).toEqual([])
})

test('a stage does not import a sibling stage', () => {
  const isStage = (path: string) =>
    /class \w+(<[^{]*>)? extends (Stage|Source|TsvStage)\b/.test(byPath.get(path)!.text) &&
    path.startsWith('engine/stages/')
  const stages = files
    .map(file => file.path)
    .filter(path => isStage(path) && !/^engine\/stages\/(stage|source|tsv-stage)\.ts$/.test(path))
  expect(stages.length).toBeGreaterThanOrEqual(7)
  expect(
    files
      .filter(file => file.layer === 'stages')
      .flatMap(file =>
        file.internal
          .filter(target => stages.includes(target))
          .map(target => `${file.path} -> ${target}`),
      ),
  ).toEqual([])
})

/**
 * The imports of node:fs that make or change files, outside of disk/, where nothing follows a link
 * that somebody has planted. The other uses only read, or write where the user says.
 */
const OPENERS: Readonly<Record<string, string>> = {
  'engine/sinks/destination.ts': 'open, open: a device or a FIFO that the user names',
  'engine/stages/file-source.ts': 'open: reads',
  'cli/json-file.ts': 'openSync: reads',
  'cli/sync/change-file.ts': 'open: appends to a file that the user names',
  'cli/sync/export.ts': 'open: a FIFO that the user names',
  'engine/quarantine/replay.ts': 'open: reads',
  'sync/folder/folder-lock.ts': 'open: reads',
  'sync/folder/lock-socket.ts': 'symlink: under a new name, in the folder for temporary files',
  'bench/base-tree.ts': 'cp, writeFile: in a checkout of its own',
}

test('fault 109: only disk/ makes files, or opens them for writing', () => {
  const opening =
    /^(open|openSync|openAsBlob|writeFile|writeFileSync|appendFile|appendFileSync|createWriteStream|copyFile|copyFileSync|cp|cpSync|link|symlink|linkSync|symlinkSync)$/
  const openersOf = ({ text }: SourceFile) =>
    [...withoutComments(text).matchAll(/import (\{[^}]*\}|\S+) from 'node:fs(?:\/promises)?'/g)]
      .flatMap(([, names]) => (names!.startsWith('{') ? names!.match(/\w+/g)! : ['open']))
      .filter(name => opening.test(name))
  const used = files
    .filter(file => file.layer !== 'disk')
    .map(file => [file.path, openersOf(file).sort().join(', ')] as const)
    .filter(([, names]) => names !== '')
  const allowed = Object.entries(OPENERS).map(([path, use]) => [path, use.split(':')[0]!] as const)
  expect(new Map(used)).toEqual(new Map(allowed))
})

test('every failure is typed: no bare Error, no assert, no switched-off check', () => {
  const bare =
    /throw new (Error|TypeError|RangeError)\(|\bassert\(|@ts-(ignore|nocheck|expect-error)|\bas any\b|: any\b/
  expect(
    files.filter(file => bare.test(withoutComments(file.text))).map(file => file.path),
  ).toEqual([])
})

function withoutImports(text: string): string {
  return text.replace(/^import [^']*'.*'\n/gm, '')
}

function withoutComments(text: string): string {
  return text.replace(/\/\*[\s\S]*?\*\/|\/\/.*$/gm, '')
}

test('the library prints nothing: only the command line writes to the console', () => {
  // A sink may compare a stream with standard output, or be given it by its caller.
  const printing =
    /\bconsole\b|\bprocess\s*\.\s*(stdout|stderr)\s*\??\.|\bemitWarning\b|'node:(process|console)'/
  const printers = files.filter(file => printing.test(withoutComments(file.text)))
  expect(printers.filter(file => file.room !== 'cli').map(file => file.path)).toEqual([])
  expect(printers.length).toBeGreaterThan(0)
})

test('fault 115: all lines for people go through one file, which makes them inert', () => {
  const writing = /\bconsole\s*\.|\bprocess\s*\.\s*std(out|err)\s*\.\s*write\b/
  const writers = files.filter(file => writing.test(withoutComments(file.text)))
  expect(writers.map(file => file.path)).toEqual(['cli/output.ts'])
})

test('every file opens by saying what it owns', () => {
  expect(files.filter(file => !/^(#!.*\n)?\/\/ \S/.test(file.text)).map(file => file.path)).toEqual(
    [],
  )
})

test('a file past 350 lines says why it is one piece', () => {
  const long = files.filter(file => withoutImports(file.text).split('\n').length > 350)
  expect(
    long
      .filter(file => !/one (\/\/ )?piece/.test(file.text.slice(0, 600).replaceAll('\n', ' ')))
      .map(file => file.path),
  ).toEqual([])
})

test('names: kebab-case, and no rooms for odds and ends', () => {
  expect(files.filter(file => !/^[a-z0-9/-]+\.ts$/.test(file.path)).map(file => file.path)).toEqual(
    [],
  )
  expect(
    files
      .filter(file => /(^|\/)(utils?|helpers?|common|misc)(\/|\.ts)/.test(file.path))
      .map(file => file.path),
  ).toEqual([])
})

test('an expression that ends with a run of characters begins once for each run', () => {
  // Without a start, such as in /0+$/, it is tried at each character of a run that is not the last.
  const tried = /(?<=[(\s])\/(?!\^|\(\?:\^|\(\?<!)(?:\\.|[^/\\\n])*[+*]\$\/[a-z]*[,.)]/g
  const found = files.flatMap(({ path, text }) =>
    [...text.matchAll(tried)].map(([expression]) => `${path}: ${expression}`),
  )
  expect(found).toEqual([])
  expect('text.replace(/0+$/, "")'.match(tried)).toHaveLength(1)
})
