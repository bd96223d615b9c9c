import { defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    globalSetup: ['src/wasm/build.mjs'],
    pool: 'forks',
    execArgv: ['--expose-gc'],
    testTimeout: 30_000,
    teardownTimeout: 5_000,
    typecheck: { enabled: true, include: ['test/**/*.test-d.ts'], tsconfig: './tsconfig.json' },
  },
})
