// The page of all options: every interface that the sources check by `OptionNames` and that an entry
// exports or a listed option has, with type, unit, default, bounds and meaning of each option. An
// option that several interfaces share is in the table of one of them, and the others refer to it.

import { relative } from 'node:path'
import ts from 'typescript'
import { checkedBounds, writtenDefaults } from './bounds.mjs'
import { cell, codeCell, commentOf, isInternal, placeOf, problems, walk } from './sources.mjs'

/** Units by the ends of names (CONTRIBUTING.md: a name contains its unit). */
const UNITS = [
  [/Ms$/, 'milliseconds'],
  [/Bytes$/, 'bytes'],
  [/(?:^s|S)econds$/, 'seconds'],
  [/(?:^m|M)inutes$/, 'minutes'],
  [/(?:^h|H)ours$/, 'hours'],
  [/(?:^d|D)ays$/, 'days'],
  [/Shares?$/, 'share of 1'],
  [/Ratio$/, 'ratio'],
]

export function optionsPage(sources) {
  const { checker, files, entries } = sources
  const checked = new Map()
  for (const file of files)
    walk(file, node => {
      if (!ts.isTypeReferenceNode(node) || node.typeName.getText() !== 'OptionNames') return
      const [argument] = node.typeArguments ?? []
      if (argument === undefined || !ts.isTypeReferenceNode(argument)) return
      const symbol = checker.getSymbolAtLocation(argument.typeName)
      const declared =
        symbol && symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol
      const places = checked.get(declared) ?? new Set()
      if (declared !== undefined) checked.set(declared, places.add(file.fileName))
    })
  const facts = { ...sources, bounds: checkedBounds(sources), defaults: writtenDefaults(sources) }
  const listed = new Set()
  const chapters = [...entries].map(([entry, symbols]) => {
    const own = new Set(symbols.filter(symbol => checked.has(symbol) && !listed.has(symbol)))
    for (const symbol of own) {
      listed.add(symbol)
      for (const part of partsOf(symbol, checker)) if (checked.has(part) && !listed.has(part)) own.add(part)
    }
    const sorted = [...own].sort((one, other) => (one.name < other.name ? -1 : 1))
    return { entry, symbols, sorted }
  })
  const homes = homesOf(chapters.flatMap(({ sorted }) => sorted), checker)
  const sections = chapters.map(({ entry, symbols, sorted }) => {
    const parts = sorted.map(symbol => partOf(symbol, checked.get(symbol), symbols, homes, facts))
    return parts.length === 0 ? '' : `## ${entry}\n\n${parts.join('\n')}`
  })
  return `# Options

\`npm run reference\` makes this page from the sources.
It has every option that is checked where it is given: a wrong value, and a name that is not here, is OPTION_INVALID.
An option without a default is required.
The bounds of a number are inclusive.

${sections.filter(Boolean).join('\n')}`
}

function membersOf(symbol, checker) {
  return checker
    .getPropertiesOfType(checker.getDeclaredTypeOfSymbol(symbol))
    .filter(member => member.declarations !== undefined && !isInternal(member))
}

/** The types that the options of an interface have. */
function partsOf(symbol, checker) {
  const parts = new Set()
  for (const { declarations } of membersOf(symbol, checker))
    walk(declarations[0], node => {
      if (!ts.isTypeReferenceNode(node)) return
      const part = checker.getSymbolAtLocation(node.typeName)
      if (part !== undefined) parts.add(part.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(part) : part)
    })
  return parts
}

/**
 * The interface in whose table an option is, by the declaration of the option: the one that declares
 * it, else the first that inherits it.
 */
function homesOf(symbols, checker) {
  const homes = new Map()
  for (const symbol of symbols)
    for (const { declarations } of membersOf(symbol, checker))
      if (!homes.has(declarations[0]) || symbol.declarations.includes(declarations[0].parent))
        homes.set(declarations[0], symbol)
  return homes
}

function partOf(symbol, places, exported, homes, facts) {
  const { checker } = facts
  const members = membersOf(symbol, checker)
  const homeOf = member => homes.get(member.declarations[0])
  const own = members.filter(member => homeOf(member) === symbol)
  const rows = own.map(member => rowOf(member, places, symbol, facts))
  const others = [...new Set(members.map(homeOf))]
    .filter(home => home !== symbol)
    .map(home => sharedText(home, members.filter(member => homeOf(member) === home), checker))
  const about = [commentOf(symbol, checker), takersOf(symbol, exported), ...others]
  const table = rows.length === 0 ? [] : [TABLE_HEAD, ...rows, '']
  return `### ${symbol.name}

${about.filter(Boolean).map(line => `${cell(line)}\n\n`).join('')}${table.join('\n')}`
}

const TABLE_HEAD = '| option | type | default | bounds | meaning |\n|---|---|---|---|---|'

/** Which options are in the table of another interface. */
function sharedText(home, taken, checker) {
  const all = membersOf(home, checker)
  const names = list => list.map(({ name }) => `\`${name}\``).join(', ')
  const link = `[${home.name}](#${home.name.toLowerCase()})`
  const left = all.filter(({ name }) => !taken.some(member => member.name === name))
  if (left.length === 0) return `It also has the options of ${link}.`
  return left.length < taken.length && left.length < 4
    ? `It also has the options of ${link} but ${names(left)}.`
    : `It also has these options of ${link}: ${names(taken)}.`
}

/** The exported functions and classes that have a parameter of the type. */
function takersOf(symbol, exported) {
  const mentions = node => new RegExp(`\\b${symbol.name}\\b`).test(node?.getText() ?? '')
  const takers = exported.filter(({ declarations = [] }) =>
    declarations.some(declaration => {
      const calls = ts.isFunctionDeclaration(declaration)
        ? [declaration]
        : ts.isClassDeclaration(declaration)
          ? declaration.members.filter(ts.isConstructorDeclaration)
          : []
      return calls.some(({ parameters }) => parameters.some(({ type }) => mentions(type)))
    }),
  )
  return takers.length === 0 ? '' : `Taken by ${takers.map(({ name }) => `\`${name}\``).join(', ')}.`
}

function rowOf(member, places, owner, facts) {
  const { checker, root } = facts
  const [declaration] = member.declarations
  const comment = commentOf(member, checker)
  const place = `${placeOf(declaration, root)}: ${declaration.parent.name?.getText() ?? owner.name}.${member.name}`
  if (comment === '') problems.push(`${place} has no comment: say what the option does`)
  const isOptional = (member.flags & ts.SymbolFlags.Optional) !== 0
  const stated = statedDefault(comment)
  if (isOptional && stated === undefined)
    problems.push(
      `${place} states no default: add a sentence "Default: …." to its comment, "Default: none." where the option has no effect when it is left out`,
    )
  const near = [declaration.getSourceFile().fileName, ...places]
  if (stated !== undefined) compareDefault(place, member.name, stated, near, facts)
  const text = declaration.type?.getText().replace(/\s+/g, ' ') ?? ''
  const isNumber = /^number(?: \| undefined)?$/.test(text)
  const bounds = isNumber ? boundsText(place, member.name, comment, near, facts) : ''
  const unit = isNumber ? UNITS.find(([end]) => end.test(member.name))?.[1] : undefined
  return `| \`${member.name}\` | \`${codeCell(text)}\`${unit ? `, ${unit}` : ''} | ${cell(stated ?? 'required')} | ${bounds} | ${cell(withoutFacts(comment))} |`
}

const DEFAULT = /(?:^|(?<=[.;] ))Default:? (.+?)(?:[.;](?= |$)|$)/
const BOUNDS = /(?:^|(?<=[.;] ))Bounds: (.+?)(?:[.;](?= |$)|$)/

/** The sentence of a comment that states the default. */
function statedDefault(comment) {
  return DEFAULT.exec(comment)?.[1]
}

function withoutFacts(comment) {
  return comment.replace(DEFAULT, '').replace(BOUNDS, '').replace(/\s+/g, ' ').trim()
}

/** Checks a default that is a number or a word against the one that the code has. */
function compareDefault(place, name, stated, near, { defaults, root }) {
  const value = plainValue(stated)
  if (value === undefined) return
  const written = defaults.filter(each => each.option === name && near.includes(each.file))
  for (const { value: actual, file } of written)
    if (typeof actual === typeof value && actual !== value)
      problems.push(
        `${place} states the default ${stated}, and ${relative(root, file)} has ${actual}: correct the comment or the code`,
      )
}

const SIZES = { KiB: 2 ** 10, MiB: 2 ** 20, GiB: 2 ** 30, kB: 1e3, MB: 1e6, GB: 1e9 }

/** `8 MiB`, `60,000`, `true` and `'text'` as values; undefined for words. */
function plainValue(stated) {
  const text = stated.replace(/`/g, '')
  const [, digits, size] = /^([\d,.]+)(?: ([KMGk]i?B))?$/.exec(text) ?? []
  if (digits !== undefined) return Number(digits.replaceAll(',', '')) * (SIZES[size] ?? 1)
  if (text === 'true' || text === 'false') return text === 'true'
  return /^'(.*)'$/.exec(text)?.[1].replaceAll('\\t', '\t')
}

/** The bounds that the comment states, or those that the code checks. */
function boundsText(place, name, comment, near, { bounds }) {
  const stated = BOUNDS.exec(comment)?.[1]
  if (stated !== undefined) return cell(stated)
  const named = bounds.filter(({ option }) => option === name || option.endsWith(`.${name}`))
  const close = named.filter(({ file }) => near.includes(file))
  const texts = new Set((close.length > 0 ? close : named).map(rangeText))
  if (texts.size === 1) return [...texts][0]
  problems.push(
    texts.size === 0
      ? `${place} is a number without bounds that can be read: check it by wholeNumber, durationMs or finiteNumber with constant bounds, or add a sentence "Bounds: …." to its comment`
      : `${place} is checked with several bounds (${[...texts].join('; ')}): add a sentence "Bounds: …." to its comment`,
  )
  return ''
}

function rangeText({ least, most }) {
  if (most === Number.POSITIVE_INFINITY) return `${digits(least)} or more, or Infinity`
  const isOpen = most === Number.MAX_SAFE_INTEGER || most === Number.MAX_VALUE
  if (isOpen && least === Number.MIN_SAFE_INTEGER) return 'any whole number'
  return isOpen ? `${digits(least)} or more` : `${digits(least)} to ${digits(most)}`
}

const digits = value => value.toLocaleString('en-US', { maximumFractionDigits: 6 })
