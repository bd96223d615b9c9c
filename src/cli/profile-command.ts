// The options of `feedmill profile`. Its exit codes: 1 where the file has become slower or cannot be read to its end, 2 where the command is wrong.

import { FeedError } from '../index'
import { type ProfileOptions, profile } from './profile'
import type { CellReading } from './profile-cells'
import type { program } from './program'

/** Commander's own class, of which program.ts is the adapter. */
type Command = ReturnType<typeof program>

const FEEDS = ['item', 'item_group', 'item_snapshot', 'item_priority']
const WRONG_USAGE = 2

export function addProfileCommand(feedmill: Command): void {
  const command = feedmill.command('profile').exitOverride(({ exitCode }) => process.exit(exitCode === 0 ? 0 : WRONG_USAGE))
  const option = (flags: string, description: string) => command.createOption(flags, description)
  const parsed = (name: string, parse: (text: string) => unknown) => (text: string) =>
    parse(text) ?? command.error(`error: option '${name}' does not take '${text}'`)
  command
    .description('Run your own file through the stages, several times, and say where its time goes.')
    .argument('<file>', 'gzip or plain TSV')
    .addOption(option('--feed <name>', 'which feed the file is of').choices(FEEDS).default('item'))
    .addOption(
      option('--read <cells>', 'cells read of each row: a number, objects or typed').argParser(parsed('--read', reading)).default(5),
    )
    .addOption(option('--rounds <count>', 'runs, each in a fresh process').argParser(parsed('--rounds', positive)).default(5))
    .option('--json [file]', 'JSON in place of the table, or into a file beside it')
    .option('--baseline <file>', 'compare with a result that was saved')
    .option('--save <file>', 'save the result as a baseline')
    .addOption(option('--tolerance <percent>', 'loss of speed that is accepted').argParser(parsed('--tolerance', share)).default(0.1, '10'))
    .action(async (file: string, options: ProfileOptions) => {
      try {
        await profile(file, options)
      } catch (error) {
        if (!FeedError.is(error) || error.code !== 'OPTION_INVALID') throw error
        command.error(`feedmill: ${error.code}: ${error.message}`)
      }
    })
}

function reading(text: string): CellReading | undefined {
  if (text === 'objects' || text === 'typed') return text
  return /^\d{1,6}$/.test(text) ? Number(text) : undefined
}

function positive(text: string): number | undefined {
  return /^[1-9]\d{0,3}$/.test(text) ? Number(text) : undefined
}

function share(percent: string): number | undefined {
  return /^\d{1,2}(\.\d+)?$/.test(percent) ? Number(percent) / 100 : undefined
}
