// The options of `feedmill completion`.

import { type Command, examples } from '../command-options'
import { print } from '../output'
import { completionScript, SHELLS, type Shell } from './completion-script'

export function addCompletionCommand(feedmill: Command): void {
  const command = feedmill.command('completion')
  command
    .description('Print a script that makes a shell complete commands, options and their values.')
    .addArgument(command.createArgument('<shell>', 'the shell').choices(SHELLS))
    .addHelpText(
      'after',
      examples(
        'completion bash > ~/.local/share/bash-completion/completions/feedmill',
        'completion zsh > ~/.zfunc/_feedmill   # a folder of $fpath',
        'completion fish > ~/.config/fish/completions/feedmill.fish',
      ),
    )
    .action((shell: Shell) => print(completionScript(feedmill, shell).split('\n')))
}
