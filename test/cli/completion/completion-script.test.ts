// The scripts of `feedmill completion`, each run in its own shell. The words that a shell offers are
// compared with the commands and options of the program.

import { execFile } from 'node:child_process'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { completionScript, SHELLS, type Shell } from '../../../src/cli/completion/completion-script'
import { program } from '../../../src/cli/program'
import { runsWith } from '../../tools'
import { outcomeOf } from '../served'

const run = promisify(execFile)
const feedmill = program(['node', 'feedmill'])
const commandsOf = (command = feedmill) => command.commands.map(each => each.name())
const named = (name: string) => feedmill.commands.find(each => each.name() === name)!
const optionsOf = (command: typeof feedmill) =>
  command
    .createHelp()
    .visibleOptions(command)
    .map(({ long }) => long!)

let folder: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'feedmill-completion-'))
  await mkdir(join(folder, 'empty'))
  for (const shell of SHELLS)
    await writeFile(join(folder, shell), completionScript(feedmill, shell))
})
afterAll(() => rm(folder, { recursive: true }))

const BASH = `source "$0"
COMP_WORDS=("$@") COMP_CWORD=$(($# - 1))
_feedmill
printf '%s\n' "\${COMPREPLY[@]}"`

/** zsh has its own completion functions in interactive shells only, so these stand in for them. */
const ZSH = `compdef() { true }
_files() { true }
_describe() {
  local word
  for word in "\${(@P)3}"; do
    if [[ "$word" = "\${words[CURRENT]}"* ]]; then print -r -- "\${word%%:*}"; fi
  done
}
source "$0"
words=("$@") CURRENT=$#
_feedmill`

/** The arguments with which each shell prints the words that it offers, one a line. */
const ASK: Readonly<Record<Shell, (script: string, words: readonly string[]) => string[]>> = {
  bash: (script, words) => ['--norc', '-c', BASH, script, ...words],
  zsh: (script, words) => ['-f', '-c', ZSH, script, ...words],
  fish: (script, words) => [
    '--no-config',
    '-c',
    `source ${script}; complete -C '${words.join(' ')}' | string replace -r '\\t.*' ''; true`,
  ],
}

async function offered(shell: Shell, ...words: string[]): Promise<string[]> {
  const { stdout } = await run(shell, ASK[shell](join(folder, shell), ['feedmill', ...words]), {
    // No shell has a name of a file to offer there.
    cwd: join(folder, 'empty'),
  })
  return stdout.split('\n').filter(line => line !== '')
}

describe.each(SHELLS)('in %s', shell => {
  const runs = runsWith(shell)

  test.runIf(runs)('the script has no error of syntax', async () => {
    const flag = shell === 'fish' ? '--no-execute' : '-n'
    expect(await run(shell, [flag, join(folder, shell)])).toEqual({ stdout: '', stderr: '' })
  })

  test.runIf(runs)('commands are offered at each level, by their beginning', async () => {
    expect((await offered(shell, '')).sort()).toEqual(commandsOf().sort())
    expect(await offered(shell, 'expo')).toEqual(['export'])
    expect((await offered(shell, 'catalog', '')).sort()).toEqual(
      commandsOf(named('catalog')).sort(),
    )
    expect((await offered(shell, 'catalog', 'feed')).sort()).toEqual(['feed-type', 'feed-types'])
  })

  test.runIf(runs)('the options of a command are offered, and no others', async () => {
    for (const command of [named('sync'), named('export')])
      expect((await offered(shell, command.name(), '--')).sort()).toEqual(optionsOf(command).sort())
    const files = named('catalog').commands.find(each => each.name() === 'files')!
    expect((await offered(shell, 'catalog', 'files', '--')).sort()).toEqual(optionsOf(files).sort())
    expect(await offered(shell, 'catalog', 'files', '--json', '--look')).toEqual(['--look-back'])
  })

  test.runIf(runs)('listed values are offered for their option and argument', async () => {
    expect((await offered(shell, 'export', '--format', '')).sort()).toEqual([
      'arrow',
      'csv',
      'ndjson',
      'parquet',
    ])
    expect((await offered(shell, 'completion', '')).sort()).toEqual(['bash', 'fish', 'zsh'])
  })

  test.runIf(runs)('a value without a list, and a path, are left to the files', async () => {
    expect(await offered(shell, 'export', '--state', '')).toEqual([])
    expect(await offered(shell, 'catalog', 'download', '')).toEqual([])
  })
})

test('the command prints the script, and refuses other shells', async () => {
  const argv = ['node', 'feedmill', 'completion', 'bash']
  const { out, error } = await outcomeOf(async () => void (await program(argv).parseAsync(argv)))
  expect([out.join('\n'), error]).toEqual([completionScript(feedmill, 'bash'), undefined])
  const wrong = ['node', 'feedmill', 'completion', 'tcsh']
  const other = program(wrong)
  for (const command of other.commands) command.configureOutput({ writeErr: () => {} })
  await expect(other.parseAsync(wrong)).rejects.toMatchObject({ code: 'commander.invalidArgument' })
})
