// The command line: its commands, their order in the help, and the exit codes. The commands are
// added by the files that have their options. A command itself is a file of its own, which is
// loaded when the command runs, so that the help and the commands without optional packages work in
// a plain install.

import { version } from '../../package.json'
import { refusePasswords } from './argument-passwords'
import { addBenchCommand } from './bench/bench-command'
import { Command, optionDescription } from './command-options'
import { rememberSecrets } from './command-secrets'
import { addCompletionCommand } from './completion/completion-script'
import { addConvertCommand } from './convert/convert-command'
import { addDiffCommand } from './diff/diff-command'
import { addEmulatorCommands } from './emulator-commands'
import { EXIT_CODES, exitCodeOf, failureLines } from './exit-code'
import { addInspectCommand } from './inspect/inspect-command'
import { refuseSharedFiles } from './named-files'
import { print, printError, printed } from './output'
import { addQueueCommands } from './queue/queue-commands'
import { addServiceCommands } from './service/service-commands'
import { addStateCommands } from './sync/state-commands'
import { addVerifyCommand } from './verify/verify-command'

/** Runs a call of the command, prints its failure, and sets the exit code. */
export async function run(argv: readonly string[], feedmill = program(argv)): Promise<void> {
  let isJson = false
  rememberSecrets(argv, process.env)
  try {
    await feedmill
      .hook('preAction', (_, command) => {
        // `verify --json FILE` prints the table, so that its failures are text too.
        isJson = command.opts().json === true
        refusePasswords(argv)
        return refuseSharedFiles(command as Command)
      })
      .parseAsync(argv)
      .finally(printed)
  } catch (error) {
    printError(failureLines(error, isJson))
    process.exitCode = exitCodeOf(error)
  }
}

/**
 * Parsing fails with a CommanderError for wrong usage, help and version, and with the error of the
 * command.
 */
export function program(argv: readonly string[]): Command {
  const feedmill = new Command('feedmill')
    .description(
      'Stream processing for marketplace feed files: keep a copy, write it out, measure, ' +
        'try it on an emulated service.',
    )
    .version(version, '--version', 'print the version')
    .helpOption('--help', 'print this help')
    .helpCommand(false)
    .configureHelp({ optionDescription })
    .configureOutput({
      writeOut: text => void print(linesOf(text)),
      writeErr: text => printError(linesOf(text)),
    })
    .exitOverride()
  addStateCommands(feedmill)
  addQueueCommands(feedmill)
  addInspectCommand(feedmill)
  addConvertCommand(feedmill)
  addDiffCommand(feedmill)
  addServiceCommands(feedmill)
  addBenchCommand(feedmill)
  addEmulatorCommands(feedmill, argv[1]!)
  addCompletionCommand(feedmill)
  addVerifyCommand(feedmill)
  return feedmill
    .addHelpText('after', '\nEvery command has its own help: feedmill sync --help')
    .table('Exit codes', EXIT_CODES)
}

function linesOf(text: string): string[] {
  return text.replace(/\n$/, '').split('\n')
}
