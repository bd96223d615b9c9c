// The API report, test/api-report.txt: every public name of every entry with its signature, as the
// declarations have it, without comments. A change of the public API is a change of this file, which
// a reviewer reads as a diff.

import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import ts from 'typescript'
import { ENTRIES } from './reference/sources.mjs'

const REPORT = join(import.meta.dirname, 'api-report.txt')
/** A class, an interface or an object type that is no longer than this is one line. */
const LINE_CHARACTERS = 160
const SHOWN_DIFFERENCES = 20

const printer = ts.createPrinter({ removeComments: true })

export function writeReport(report) {
  writeFileSync(REPORT, report)
}

/** @returns whether the report is that of the repository; else it says what differs */
export function isReported(report) {
  const committed = readFileSync(REPORT, 'utf8')
  if (committed === report) return true
  const [old, now] = [committed, report].map(text => new Set(text.split('\n')))
  const gone = [...old].filter(line => !now.has(line)).map(line => `- ${line}`)
  const added = [...now].filter(line => !old.has(line)).map(line => `+ ${line}`)
  for (const line of [...gone, ...added].slice(0, SHOWN_DIFFERENCES)) console.error(line)
  console.error('The public API is not that of test/api-report.txt: if it should be, run `npm run api`.')
  return false
}

/** @param declarations the text of the declarations of each source, by the path of the source */
export function reportOf({ checker, fileAt }, declarations) {
  /** The entry that has a symbol first. The others only name that entry. */
  const homes = new Map()
  const parsed = new Map()

  function linesOf(entry, path) {
    const module = checker.getSymbolAtLocation(fileAt(path))
    const names = checker.getExportsOfModule(module).toSorted((a, b) => (a.name < b.name ? -1 : 1))
    return names.flatMap(exported => {
      const isAlias = exported.flags & ts.SymbolFlags.Alias
      const symbol = isAlias ? checker.getAliasedSymbol(exported) : exported
      const home = homes.get(symbol)
      if (home !== undefined) return [`  ${exported.name}: see ${home}`]
      homes.set(symbol, entry)
      return signaturesOf(symbol).map(line => `  ${resolved(symbol, line)}`)
    })
  }

  /** The type of a shape is written out, so that a change of the shape shows. */
  function resolved(symbol, line) {
    if (!/ = \w+<typeof \w+>;$/.test(line)) return line
    const { NoTruncation, InTypeAlias } = ts.TypeFormatFlags
    const type = checker.getDeclaredTypeOfSymbol(symbol)
    const text = checker.typeToString(type, undefined, NoTruncation | InTypeAlias)
    return oneLine(`type ${symbol.name} = ${text}`)
  }

  /** The lines of a name: its declarations, overloads and types of the same name included. */
  function signaturesOf(symbol) {
    const paths = new Set(symbol.declarations.map(node => node.getSourceFile().fileName))
    return [...paths]
      .map(declarationsIn)
      .flatMap(file => file.statements.map(node => [node, file]))
      .filter(([node]) => namesOf(node).includes(symbol.name))
      .flatMap(([node, file]) => printed(node, file))
  }

  function declarationsIn(path) {
    const file =
      parsed.get(path) ??
      ts.createSourceFile('declarations.d.ts', declarations.get(path), ts.ScriptTarget.Latest, true)
    parsed.set(path, file)
    return file
  }

  return Object.entries(ENTRIES)
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([entry, path]) => `${entry}\n${linesOf(entry, path).join('\n')}\n`)
    .join('\n')
}

function namesOf(node) {
  if (ts.isVariableStatement(node)) return node.declarationList.declarations.map(({ name }) => name.text)
  return node.name === undefined ? [] : [node.name.text]
}

function printed(node, file) {
  const text = part => oneLine(printer.printNode(ts.EmitHint.Unspecified, part, file))
  const whole = text(node)
  const isList = ts.isInterfaceDeclaration(node) || ts.isClassDeclaration(node)
  const body = isList ? node : node.type
  const isObject = isList || (body !== undefined && ts.isTypeLiteralNode(body))
  if (!isObject || body.members.length === 0) return [whole]
  const members = body.members.filter(isPublic).map(text)
  const head = oneLine(file.text.slice(node.getStart(file), body.members.pos)).replace(/^export |declare /g, '')
  const short = `${head} ${members.map(member => `${member} `).join('')}}`
  return short.length <= LINE_CHARACTERS ? [short] : [head, ...members.map(member => `  ${member}`)]
}

function isPublic(member) {
  const isHidden = member.name !== undefined && ts.isPrivateIdentifier(member.name)
  const isPrivate = member.modifiers?.some(({ kind }) => kind === ts.SyntaxKind.PrivateKeyword)
  const isInternal = ts.getJSDocTags(member).some(({ tagName }) => tagName.text === 'internal')
  return !isHidden && !isPrivate && !isInternal
}

function oneLine(text) {
  return text
    .replace(/^export |\bdeclare (?=class|abstract|function|const)/g, '')
    .replace(/import\("[^"]*"\)\./g, '')
    .replace(/\s+/g, ' ')
    .trim()
}
