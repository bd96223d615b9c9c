// What is refused before anything is checked out.

import { expect, test } from 'vitest'
import { baseTree } from '../../src/bench/base-tree'

test.each(['no-such.mjs', import.meta.dirname])('%s is no file of benchmarks', async file => {
  const options = { base: 'HEAD', build: undefined, onProgress: () => {} }
  await expect(baseTree({ files: [file], ...options })).rejects.toMatchObject({
    code: 'OPTION_INVALID',
    context: { option: 'files', received: file },
  })
})
