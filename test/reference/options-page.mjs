// The page of all options: every interface that the sources have a table for and that an entry
// exports or a listed option has, with type, unit, default, bounds and meaning of each option. An
// option that several interfaces share is in the table of one of them, and the others refer to it.

import { relative } from 'node:path'
import ts from 'typescript'
import { optionTables } from './option-tables.mjs'
import {
  cell,
  codeCell,
  commentOf,
  isInternal,
  placeOf,
  problems,
  unaliased,
  walk,
} from './sources.mjs'

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
  const { checker, entries } = sources
  const tables = optionTables(sources)
  const listed = new Set()
  const chapters = [...entries].map(([entry, symbols]) => {
    const own = new Set(symbols.filter(symbol => tables.has(symbol) && !listed.has(symbol)))
    for (const symbol of own) {
      listed.add(symbol)
      for (const part of partsOf(symbol, checker)) if (tables.has(part) && !listed.has(part)) own.add(part)
    }
    const sorted = [...own].sort((one, other) => (one.name < other.name ? -1 : 1))
    return { entry, symbols, sorted }
  })
  const homes = homesOf(chapters.flatMap(({ sorted }) => sorted), checker)
  const sections = chapters.map(({ entry, symbols, sorted }) => {
    const parts = sorted.map(symbol => partOf(symbol, tables.get(symbol), symbols, homes, sources))
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
      if (part !== undefined) parts.add(unaliased(checker, part))
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

function partOf(symbol, tables, exported, homes, { checker, root }) {
  const members = membersOf(symbol, checker)
  const homeOf = member => homes.get(member.declarations[0])
  const own = members.filter(member => homeOf(member) === symbol)
  const rows = own.map(member => rowOf(member, tables, symbol, checker, root))
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

function rowOf(member, tables, owner, checker, root) {
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
  const options = tables.map(({ file, options }) => ({ file, ...options[member.name] }))
  if (stated !== undefined) compareDefault(place, stated, options, root)
  const text = declaration.type?.getText().replace(/\s+/g, ' ') ?? ''
  const isNumber = /^number(?: \| undefined)?$/.test(text)
  const bounds = isNumber ? boundsText(place, comment, options) : ''
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
  return comment.replace(BOUNDS, '').replace(DEFAULT, '').replace(/\s+/g, ' ').trim()
}

/** Checks a default that is a number or a word against those of the tables. */
function compareDefault(place, stated, options, root) {
  const value = plainValue(stated)
  for (const { byDefault, file } of options)
    if (value !== undefined && typeof byDefault === typeof value && byDefault !== value)
      problems.push(
        `${place} states the default ${stated}, and ${relative(root, file)} has ${byDefault}: correct the comment or the code`,
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

/** The bounds that the comment states, or those of the tables. */
function boundsText(place, comment, options) {
  const stated = BOUNDS.exec(comment)?.[1]
  if (stated !== undefined) return cell(stated)
  const texts = new Set(options.flatMap(({ bounds = [] }) => bounds).map(rangeText))
  if (texts.size === 1) return [...texts][0]
  problems.push(
    texts.size === 0
      ? `${place} is a number without bounds that can be read: check it in its table by is.wholeNumber, is.durationMs or is.finiteNumber with constant bounds, or add a sentence "Bounds: …." to its comment`
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
