import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { demo } from '../../../src/cli/demo/demo'

// This program prints its address as `serve --json` does, and runs until it is stopped.
const SERVER = `import { writeFileSync } from 'node:fs'
writeFileSync(new URL('pid', import.meta.url), String(process.pid))
console.log(JSON.stringify({ url: 'nowhere', tokenUrl: 'http://127.0.0.1:9/token', scopeBase: 'x', clientId: 'id', clientSecret: 'secret' }))
setInterval(() => {}, 1000)
`

test('what is refused after the start of the emulated service does not leave the service running', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'feedmill-demo-'))
  try {
    const cli = join(folder, 'serve.mjs')
    await writeFile(cli, SERVER)
    const options = {
      items: 10,
      seed: 7,
      out: join(folder, 'out'),
      interrupt: false,
      json: true,
      cli,
    }
    await expect(demo(options)).rejects.toMatchObject({
      code: 'OPTION_INVALID',
      context: { option: 'baseUrl' },
    })
    const pid = Number(await readFile(join(folder, 'pid'), 'utf8'))
    expect(() => process.kill(pid, 0)).toThrow(expect.objectContaining({ code: 'ESRCH' }))
  } finally {
    await rm(folder, { recursive: true })
  }
})
