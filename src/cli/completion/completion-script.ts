// Scripts that make a shell complete the command line. They are made from the commands and options
// themselves, so that they cannot miss one, and they start no process when a user presses Tab.
//
// Every script works in two steps. It first finds the place: the words that name a command, such as
// `feedmill catalog files`. It then offers what may follow at that place. File names are offered for
// every other word, because most of these are paths.

import type { Command } from '../command-options'
import { print } from '../output'

export const SHELLS = ['bash', 'zsh', 'fish'] as const
export type Shell = (typeof SHELLS)[number]

interface Word {
  readonly text: string
  readonly description: string
}

interface PlaceOption extends Word {
  /** True where the next word is the value of the option. */
  readonly takesValue: boolean
  /** The values that the option allows; empty where it has no list. */
  readonly values: readonly string[]
}

interface Place {
  readonly path: string
  /** The commands or the listed words that may follow. */
  readonly words: readonly Word[]
  readonly options: readonly PlaceOption[]
  /** True where a word that is in no list may follow, such as a path. */
  readonly takesOther: boolean
}

export function addCompletionCommand(feedmill: Command): void {
  const command = feedmill.command('completion')
  command
    .description('Print a script that makes a shell complete commands, options and their values.')
    .addArgument(command.createArgument('<shell>', 'the shell').choices(SHELLS))
    .examples(
      'completion bash > ~/.local/share/bash-completion/completions/feedmill',
      'completion zsh > ~/.zfunc/_feedmill   # a folder of $fpath',
      'completion fish > ~/.config/fish/completions/feedmill.fish',
    )
    .action((shell: Shell) => print(completionScript(feedmill, shell).split('\n')))
}

export function completionScript(feedmill: Command, shell: Shell): string {
  return SCRIPTS[shell](placesOf(feedmill, feedmill.name()), feedmill.name())
}

const SCRIPTS: Readonly<Record<Shell, (places: readonly Place[], name: string) => string>> = {
  bash: bashScript,
  zsh: zshScript,
  fish: fishScript,
}

/** Returns the place of a command and those of all commands below it. */
function placesOf(command: Command, path: string): Place[] {
  const help = command.createHelp()
  const listed = command.registeredArguments.flatMap(({ argChoices = [] }) => argChoices)
  const place: Place = {
    path,
    words: [
      ...help
        .visibleCommands(command)
        .map(each => ({ text: each.name(), description: firstSentence(each.description()) })),
      ...listed.map(text => ({ text, description: '' })),
    ],
    options: help.visibleOptions(command).map(option => ({
      text: option.long ?? option.flags,
      description: option.description,
      takesValue: option.required,
      values: option.argChoices ?? [],
    })),
    takesOther: command.registeredArguments.length > 0 && listed.length === 0,
  }
  return [place, ...command.commands.flatMap(each => placesOf(each, `${path} ${each.name()}`))]
}

/**
 * Returns the options that take a value, with their places: those without a list in one group, and
 * the others one by one.
 */
function valueCases(places: readonly Place[]) {
  const all = places.flatMap(({ path, options }) =>
    options.filter(({ takesValue }) => takesValue).map(option => ({ path, ...option })),
  )
  const nameOf = ({ path, text }: (typeof all)[number]) => quoted(`${path} ${text}`)
  return {
    free: all
      .filter(({ values }) => values.length === 0)
      .map(nameOf)
      .join(' | '),
    listed: all
      .filter(({ values }) => values.length > 0)
      .map(option => ({ pattern: nameOf(option), values: option.values })),
  }
}

/** Returns the pattern of a `case` for all places below the first one. */
function placePattern(places: readonly Place[]): string {
  return places
    .slice(1)
    .map(({ path }) => quoted(path))
    .join(' | ')
}

function bashScript(places: readonly Place[], name: string): string {
  const { free, listed } = valueCases(places)
  const offers = places.map(({ path, words, options, takesOther }) => {
    const optionTexts = quoted(textsOf(options))
    return words.length > 0 || takesOther
      ? `    (${quoted(path)}) offer=${quoted(textsOf(words))} options=${optionTexts} ;;`
      : `    (${quoted(path)}) offer=${optionTexts} options=${optionTexts} ;;`
  })
  return `# bash completion of ${name}
_${name}() {
  local place=${name} word offer= options= current="\${COMP_WORDS[COMP_CWORD]}"
  for word in "\${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
    case "$place $word" in
      (${placePattern(places)}) place="$place $word" ;;
    esac
  done
  case "$place" in
${offers.join('\n')}
  esac
  case "$current" in (-*) offer=$options ;; esac
  case "$place \${COMP_WORDS[COMP_CWORD-1]}" in
    (${free}) offer= ;;
${listed.map(({ pattern, values }) => `    (${pattern}) offer=${quoted(values.join(' '))} ;;`).join('\n')}
  esac
  COMPREPLY=($(compgen -W "$offer" -- "$current"))
}
complete -o default -F _${name} ${name}`
}

function zshScript(places: readonly Place[], name: string): string {
  const { free, listed } = valueCases(places)
  const offers = places.map(({ path, words, options, takesOther }) =>
    words.length > 0 || takesOther
      ? `    (${quoted(path)}) offer=(${describedTexts(words)}) options=(${describedTexts(options)}) ;;`
      : `    (${quoted(path)}) options=(${describedTexts(options)}) offer=("\${options[@]}") ;;`,
  )
  return `#compdef ${name}
_${name}() {
  local place=${name} word
  local -a offer options
  for word in "\${(@)words[2,CURRENT-1]}"; do
    case "$place $word" in
      (${placePattern(places)}) place="$place $word" ;;
    esac
  done
  case "$place" in
${offers.join('\n')}
  esac
  case "\${words[CURRENT]}" in (-*) offer=("\${options[@]}") ;; esac
  case "$place \${words[CURRENT-1]}" in
    (${free}) offer=() ;;
${listed.map(({ pattern, values }) => `    (${pattern}) offer=(${values.map(quoted).join(' ')}) ;;`).join('\n')}
  esac
  if (( $#offer )); then _describe -o ${name} offer; else _files; fi
}
if [[ "$funcstack[1]" = _${name} ]]; then _${name} "$@"; else compdef _${name} ${name}; fi`
}

function fishScript(places: readonly Place[], name: string): string {
  const lines = places.flatMap(({ path, words, options }) => {
    const at = `complete -c ${name} -n ${fishQuoted(`test (__${name}_place) = "${path}"`)}`
    return [
      ...words.map(({ text, description }) => `${at} -f -a ${text} -d ${fishQuoted(description)}`),
      ...options.map(
        option =>
          `${at} -l ${option.text.slice(2)}${fishValue(option)} -d ${fishQuoted(option.description)}`,
      ),
    ]
  })
  const paths = places.slice(1).map(({ path }) => fishQuoted(path))
  return `# fish completion of ${name}
function __${name}_place
  set -l place ${name}
  set -l words (commandline -opc)
  set -e words[1]
  for word in $words
    switch "$place $word"
      case ${paths.join(' ')}
        set place "$place $word"
    end
  end
  echo $place
end
${lines.join('\n')}`
}

function fishValue({ takesValue, values }: PlaceOption): string {
  if (!takesValue) return ''
  return values.length === 0 ? ' -r' : ` -x -a ${fishQuoted(values.join(' '))}`
}

function textsOf(words: readonly Word[]): string {
  return words.map(({ text }) => text).join(' ')
}

function describedTexts(words: readonly Word[]): string {
  return words
    .map(({ text, description }) => quoted(description === '' ? text : `${text}:${description}`))
    .join(' ')
}

function firstSentence(text: string): string {
  return text.split(/\. |\.$/)[0]!
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`
}

function fishQuoted(text: string): string {
  return `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`
}
