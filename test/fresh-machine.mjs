// Runs the README's two commands as on a new machine: a clone of the last commit, without
// node_modules, in an environment that has nothing but Node, npm and git on its PATH, and the shell
// by which npm starts scripts. `node test/fresh-machine.mjs [demo] [test]`; both where neither is
// named.

import { execFileSync, spawnSync } from 'node:child_process'
import { accessSync, constants, mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, join, resolve } from 'node:path'

const ROOT = resolve(import.meta.dirname, '..')
/** npm starts every script by `sh`. */
const PROGRAMS = ['node', 'npm', 'npx', 'git', 'sh']
/** What a machine may need to reach its package registry. */
const NETWORK = ['HTTP_PROXY', 'HTTPS_PROXY', 'NO_PROXY', 'NODE_EXTRA_CA_CERTS', 'npm_config_registry', 'npm_config_cafile']

const COMMANDS = { demo: ['npm run demo'], test: ['npm test'] }
const chosen = process.argv.slice(2)
const names = chosen.length > 0 ? chosen : Object.keys(COMMANDS)

const machine = mkdtempSync(join(tmpdir(), 'feedmill-fresh-'))
try {
  const [bin, home, project] = ['bin', 'home', 'project'].map(name => join(machine, name))
  for (const folder of [bin, home]) mkdirSync(folder)
  for (const name of PROGRAMS) symlinkSync(realpathSync(found(name)), join(bin, name))
  execFileSync('git', ['clone', '--quiet', '--depth', '1', `file://${ROOT}`, project], { stdio: 'inherit' })
  const env = Object.fromEntries(NETWORK.filter(name => process.env[name]).map(name => [name, process.env[name]]))
  for (const command of ['npm ci', ...names.flatMap(name => COMMANDS[name])]) {
    console.log(`fresh machine: ${command}`)
    const { status } = spawnSync(join(bin, 'sh'), ['-c', command], { cwd: project, env: { ...env, PATH: bin, HOME: home }, stdio: 'inherit' })
    if (status !== 0) {
      console.error(`fresh machine: ${command} failed`)
      process.exitCode = 1
      break
    }
  }
} finally {
  rmSync(machine, { recursive: true, force: true })
}

function found(name) {
  const folder = (process.env.PATH ?? '').split(delimiter).find(candidate => {
    try {
      accessSync(join(candidate, name), constants.X_OK)
      return true
    } catch {
      return false
    }
  })
  if (folder === undefined) throw new Error(`${name} is not on the PATH`)
  return join(folder, name)
}
