import { readFileSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { dirname, join, relative } from 'node:path'
import { transform } from 'esbuild'
import { defineConfig, type Options } from 'tsup'

type Plugin = NonNullable<Options['plugins']>[number]

// FEEDMILL_JS_ONLY leaves out the declarations: what only runs the built code need not wait for them.
const dts = process.env.FEEDMILL_JS_ONLY !== '1'
const library = {
  index: 'src/index.ts',
  bench: 'src/bench.ts',
  inspect: 'src/inspect.ts',
  service: 'src/service.ts',
  engines: 'src/engines.ts',
  emulator: 'src/emulator.ts',
  sync: 'src/sync.ts',
  queue: 'src/queue.ts',
  duckdb: 'src/duckdb.ts',
  opentelemetry: 'src/opentelemetry.ts',
  arrow: 'src/arrow.ts',
  parquet: 'src/parquet.ts',
  postgres: 'src/postgres.ts',
  s3: 'src/s3.ts',
}
/**
 * The modules of the package that are one file each, and that other files import as such: its entries, and the engine behind its door. Most
 * entries need most of the engine, and Node takes longer to find and open dozens of small files than to compile what one does not need.
 */
const modules = { ...library, engine: 'src/engine/index.ts' }
/** The declarations that test/from-sources.mjs makes of each source. */
const types = Object.fromEntries(
  Object.keys(library).map(name => [name, `.tmp/types/${name}.d.ts`]),
)
const { peerDependencies } = JSON.parse(readFileSync('package.json', 'utf8'))

/** Bundling makes variables of a module's constants, which V8 then looks up at each use instead of knowing them. */
const constants: Plugin = {
  name: 'constants',
  renderChunk: code => ({ code: code.replace(/^var (?=[A-Z][A-Z0-9_]* = )/gm, 'const ') }),
}

/** Bundling writes a class that names itself as `var Row = class _Row`, and users then meet `_Row` in messages and inspections. */
const classNames: Plugin = {
  name: 'class-names',
  renderChunk: code => ({
    code: [...code.matchAll(/^var (\w+) = class (_\1\d*)\b/gm)].reduce(
      (text, [, name, renamed]) =>
        text.replace(new RegExp(`(?<![\\w$.])${renamed}\\b`, 'g'), name!),
      code,
    ),
  }),
}

/**
 * `sideEffects: false` in package.json lets a bundler leave out whole files, and of the modules in one file only what it knows to be pure: no
 * calls, no spread, no property of another object, and no class with a computed name that is not of `Symbol` itself, such as that of Node's inspection.
 */
const pure: Plugin = {
  name: 'pure',
  renderChunk: code => ({
    code: code
      .replace(/^((?:var|const) \w+ = )(?=(?:new )?[\w.]+\()/gm, '$1/* @__PURE__ */ ')
      .replace(
        /^((?:var|const) \w+ = )(\{(?:$.*?^|[^\n]*)\});$/gms,
        (all, start, literal: string) =>
          /\(|\.\.\.|\w\.\w/.test(literal)
            ? `${start}/* @__PURE__ */ (() => (${literal}))();`
            : all,
      )
      .replace(/^var (\w+) = class \{$.*?^\};$/gms, (all, name) =>
        /^ {2}\[(?!Symbol)/m.test(all)
          ? `var ${name} = /* @__PURE__ */ (() => {\n${all}\nreturn ${name};\n})();`
          : all,
      ),
  }),
}

/**
 * A package with native code cannot be put into a bundle: it is looked for where the bundle lies, when it is needed. What stands here is
 * what esbuild, rollup, vite, webpack and ncc all leave alone. Jest and single executables know `createRequire` and not `import()`.
 */
const nativePackages = (format: 'esm' | 'cjs'): Plugin => ({
  name: 'native-packages',
  renderChunk: code => ({
    code: code.replace(/\bimport\("(@duckdb\/node-api)"\)/g, (_, name: string) =>
      format === 'esm'
        ? `import(/* webpackIgnore: true */ /* @vite-ignore */ ["${name}"].join())`
        : `require("node:module").createRequire(__filename)(["${name}"].join())`,
    ),
  }),
})

/**
 * Bundlers take a package that is not installed for optional only where its `require` stands inside `try`. The `require` that is made of an
 * `import()` stands in a callback. Only named exports may be read of these packages, because a plain `require` adds no default export.
 */
const optionalPackages: Plugin = {
  name: 'optional-packages',
  renderChunk: code => ({
    code: code.replace(/\bimport\("([^"]+)"\)/g, (call, name: string) =>
      name in peerDependencies ? `require("${name}")` : call,
    ),
  }),
}

/**
 * tsup's own way from ES modules to CommonJS rewrites class fields and optional chaining too, which costs class names and speed.
 * Dynamic imports become `require`: Jest has no other.
 */
const commonJs: Plugin = {
  name: 'common-js',
  async renderChunk(code) {
    const options = {
      format: 'cjs',
      platform: 'node',
      target: 'node20',
      supported: { 'dynamic-import': false },
    } as const
    // A module of CommonJS has no address of its own.
    const addressed = code.replaceAll(
      'import.meta.url',
      'require("node:url").pathToFileURL(__filename).href',
    )
    return { code: (await transform(addressed, options)).code }
  },
}

/** A package that stands in a bundle keeps its licence there, at the end of its file. */
const licences: NonNullable<Options['esbuildPlugins']>[number] = {
  name: 'licences',
  setup: build => {
    build.onLoad({ filter: /node_modules\/oauth4webapi\/build\/index\.js$/ }, async ({ path }) => {
      const licence = await readFile(join(path, '../../LICENSE.md'), 'utf8')
      return { contents: `/*! oauth4webapi\n\n${licence}*/\n${await readFile(path, 'utf8')}` }
    })
  },
}

const doors = new Map<string, ReadonlyMap<string, string>>()

/** The names that a door or a module exports, each with the path of its module. */
function namesBehind(path: string): ReadonlyMap<string, string> {
  let names = doors.get(path)
  if (!names) {
    const code = readFileSync(`${path}.ts`, 'utf8')
    const beside = (specifier: string) => join(dirname(path), specifier)
    const declared = code.matchAll(/^export (?:(?:abstract|async) )?\w+\*? (\w+)/gm)
    const lists = code.matchAll(/^export (?:type )?\{([^}]*)\}(?: from '(.*)')?/gm)
    const whole = code.matchAll(/^export \* from '(.*)'/gm)
    // A name that is listed hides one of a whole module.
    names = new Map([
      ...[...whole].flatMap(([, from]) => [...namesBehind(beside(from!))]),
      ...[...lists].flatMap(([, list, from]) =>
        list!.match(/\w+(?=,|\s|$)/g)!.map(name => [name, from ? beside(from) : path] as const),
      ),
      ...[...declared].map(([, name]) => [name!, path] as const),
    ])
    doors.set(path, names)
  }
  return names
}

/**
 * A source with the imports through the doors of rooms (`src/sync/index.ts` and the like) led to the modules behind them. A door loads
 * every module that any other room uses: the entries of the package and the tests would load them all, whichever they need.
 *
 * @param staysDoor tells which doors stay as they are
 */
export function pastDoors(
  code: string,
  path: string,
  staysDoor = (_door: string): boolean => false,
): string {
  const through = /^(import|export)( type)? \{([^}]*)\} from '(\..*\/index)'$/gm
  return code.replace(through, (all, verb, type = '', list: string, specifier) => {
    const door = join(dirname(path), specifier)
    if (staysDoor(door)) return all
    const names = namesBehind(door)
    // An import of types alone says so, or the module that has them would be loaded.
    const imports = [...list.matchAll(/(type )?((\w+)(?: as \w+)?)/g)].map(
      ([, ofType, whole, name]) =>
        `${verb}${type || (ofType ? ' type' : '')} { ${whole} } from './${relative(dirname(path), names.get(name!)!)}'`,
    )
    return imports.join(';') + all.replace(/[^\n]/g, '')
  })
}

/** The name of the file of the package that has the module at the path, where it is one of `modules`. */
function fileOf(path: string): string | undefined {
  const source = `${relative('.', path)}.ts`
  return Object.keys(modules).find(name => modules[name as keyof typeof modules] === source)
}

/** @param extension that of the files that stay apart; without it none does */
const roomsApart = (extension?: 'js' | 'cjs'): NonNullable<Options['esbuildPlugins']>[number] => ({
  name: 'rooms-apart',
  setup: build => {
    build.onResolve({ filter: /^\.\.?\// }, ({ importer, path }) => {
      const file = extension && fileOf(join(dirname(importer), path))
      return file === undefined
        ? undefined
        : { path: `./${file}.${extension}`, external: true, sideEffects: false }
    })
    build.onLoad({ filter: /\/src\/.*\.ts$/ }, async ({ path }) => ({
      contents: pastDoors(
        await readFile(path, 'utf8'),
        path,
        door => extension !== undefined && fileOf(door) !== undefined,
      ),
      loader: 'ts',
    }))
  },
})

const shared: Options = { target: 'node20', splitting: true }

export default defineConfig([
  {
    ...shared,
    entry: {
      ...modules,
      cli: 'src/cli/main.ts',
      'feed-file-bench': 'src/cli/bench/feed-file-bench.ts',
    },
    plugins: [constants, classNames, pure, nativePackages('esm')],
    esbuildPlugins: [roomsApart('js')],
    format: 'esm',
  },
  // A benchmark of this package loads the package itself. Its process shares no module with it: of two versions that are compared, one would
  // else find loaded what the other has to load.
  {
    target: 'node20',
    entry: { 'bench-child': 'src/bench/bench-child.ts' },
    plugins: [constants, classNames],
    esbuildPlugins: [roomsApart()],
    format: 'esm',
  },
  // oauth4webapi has no CommonJS form, and Node 20 requires ES modules only in its later releases.
  {
    ...shared,
    plugins: [constants, nativePackages('cjs'), optionalPackages, commonJs, classNames],
    entry: modules,
    format: 'esm',
    outExtension: () => ({ js: '.cjs' }),
    noExternal: ['oauth4webapi'],
    esbuildPlugins: [roomsApart('cjs'), licences],
  },
  ...(dts ? [{ entry: types, format: ['esm', 'cjs'], dts: { only: true } } satisfies Options] : []),
])
