// Builds the benchmarks to .tmp/bench. The package's public entries are left as imports of the
// package itself, which Node resolves to dist/ by the "exports" of package.json: what users get is
// measured, and the sources serve only the type check.

import { readFile } from 'node:fs/promises'
import { defineConfig, type Options } from 'tsup'
import { pastDoors } from '../tsup.config'

type Plugin = NonNullable<Options['esbuildPlugins']>[number]

const PUBLIC_ENTRIES: readonly (readonly [importPath: RegExp, published: string])[] = [
  [/\/src\/index$/, 'feedmill'],
  [/\/src\/emulator$/, 'feedmill/emulator'],
  [/\/src\/inspect$/, 'feedmill/inspect'],
  [/\/src\/parquet$/, 'feedmill/parquet'],
  [/\/src\/sync$/, 'feedmill/sync'],
]

const builtPackage: Plugin = {
  name: 'built-package',
  setup(build) {
    for (const [filter, path] of PUBLIC_ENTRIES)
      build.onResolve({ filter }, () => ({ path, external: true }))
  },
}

/**
 * Through the doors of the rooms a process that measures would load all of the engine besides the
 * package, which is part of its peak memory.
 */
const roomsApart: Plugin = {
  name: 'rooms-apart',
  setup(build) {
    build.onLoad({ filter: /\/(src|bench)\/.*\.ts$/ }, async ({ path }) => ({
      contents: pastDoors(await readFile(path, 'utf8'), path, door => door.endsWith('/src/index')),
      loader: 'ts',
    }))
  },
}

export default defineConfig({
  entry: {
    main: 'bench/main.ts',
    'case-process': 'bench/case-process.ts',
    'file-server-process': 'bench/file-server-process.ts',
    'inspect-file': 'bench/inspect-file.ts',
    'inspect-speed': 'bench/inspect-speed.ts',
    micro: 'bench/micro.ts',
    publish: 'bench/publish.ts',
    'compare-proof': 'bench/compare/proof.ts',
    'bench-child': 'src/bench/bench-child.ts',
    'cliffs/main': 'bench/cliffs/main.ts',
    'cliffs/cliffs-process': 'bench/cliffs/cliffs-process.ts',
    'fleet/main': 'bench/fleet/main.ts',
    'sinks/keyed-rows': 'bench/sinks/keyed-rows.ts',
    'sinks/shaped-rows': 'bench/sinks/shaped-rows.ts',
    'killed/main': 'bench/killed/main.ts',
    'killed/killed-process': 'bench/killed/killed-process.ts',
    'proof/main': 'bench/proof/main.ts',
    'scale/main': 'bench/scale/main.ts',
    'scale/scale-process': 'bench/scale/scale-process.ts',
    'targets/convert': 'bench/targets/convert.ts',
    'targets/main': 'bench/targets/main.ts',
    'targets/own-feed': 'bench/targets/own-feed.ts',
    'targets/parquet': 'bench/targets/parquet.ts',
    'workers/main': 'bench/workers/main.ts',
  },
  outDir: '.tmp/bench',
  format: 'esm',
  target: 'node20',
  sourcemap: true,
  clean: true,
  skipNodeModulesBundle: true,
  esbuildPlugins: [builtPackage, roomsApart],
})
