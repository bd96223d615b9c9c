// Writes the API report, test/api-report.txt: every public name of every entry with its signature,
// as the declarations have it, without comments. A change of the public API is a change of this
// file, which a reviewer reads as a diff. `npm run api` writes it; `npm run check:api` fails where
// the sources have other signatures, and shows the first lines that differ.

import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import ts from 'typescript'
import { ENTRIES } from './reference/sources.mjs'

const ROOT = join(import.meta.dirname, '..')
const REPORT = join(ROOT, 'test/api-report.txt')
/** A class, an interface or an object type that is no longer than this is one line. */
const LINE_CHARACTERS = 160
const SHOWN_DIFFERENCES = 20

const { values: given } = parseArgs({ options: { check: { type: 'boolean', default: false } } })

const { config } = ts.readConfigFile(join(ROOT, 'tsconfig.json'), ts.sys.readFile)
const { options } = ts.parseJsonConfigFileContent({ ...config, files: [] }, ts.sys, ROOT)
const program = ts.createProgram(
  Object.values(ENTRIES).map(path => join(ROOT, 'src', path)),
  {
    ...options,
    ...{ noEmit: false, incremental: false, tsBuildInfoFile: undefined },
    ...{ declaration: true, emitDeclarationOnly: true, removeComments: true, stripInternal: true },
  },
)
const checker = program.getTypeChecker()
const printer = ts.createPrinter({ removeComments: true })
const declarations = new Map()

/** The entry that has a symbol first. The others only name that entry. */
const homes = new Map()
const report = Object.entries(ENTRIES)
  .toSorted(([a], [b]) => (a < b ? -1 : 1))
  .map(([entry, path]) => `${entry}\n${linesOf(entry, path).join('\n')}\n`)
  .join('\n')

if (given.check) compare(readFileSync(REPORT, 'utf8'), report)
else writeFileSync(REPORT, report)

function linesOf(entry, path) {
  const module = checker.getSymbolAtLocation(program.getSourceFile(join(ROOT, 'src', path)))
  const names = checker.getExportsOfModule(module).toSorted((a, b) => (a.name < b.name ? -1 : 1))
  return names.flatMap(exported => {
    const isAlias = exported.flags & ts.SymbolFlags.Alias
    const symbol = isAlias ? checker.getAliasedSymbol(exported) : exported
    const home = homes.get(symbol)
    if (home !== undefined) return [`  ${exported.name}: see ${home}`]
    homes.set(symbol, entry)
    return signaturesOf(symbol).map(line => `  ${line}`)
  })
}

/** The lines of a name: its declarations, overloads and types of the same name included. */
function signaturesOf({ name, declarations: sources }) {
  const files = new Set(sources.map(node => node.getSourceFile()))
  return [...files]
    .flatMap(file => declarationsIn(file).statements.map(node => [node, declarationsIn(file)]))
    .filter(([node]) => namesOf(node).includes(name))
    .flatMap(([node, file]) => printed(node, file))
}

function namesOf(node) {
  if (ts.isVariableStatement(node)) return node.declarationList.declarations.map(({ name }) => name.text)
  return node.name === undefined ? [] : [node.name.text]
}

/** The declarations that the compiler makes of a source. */
function declarationsIn(source) {
  let made = declarations.get(source)
  if (made === undefined) {
    program.emit(source, (_, text) => {
      made = ts.createSourceFile('declarations.d.ts', text, ts.ScriptTarget.Latest, true)
    })
    declarations.set(source, made)
  }
  return made
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

function isPublic({ name, modifiers = [] }) {
  const isHidden = name !== undefined && ts.isPrivateIdentifier(name)
  return !isHidden && !modifiers.some(({ kind }) => kind === ts.SyntaxKind.PrivateKeyword)
}

function oneLine(text) {
  return text
    .replace(/^export |\bdeclare (?=class|abstract|function|const)/g, '')
    .replace(/import\("[^"]*"\)\./g, '')
    .replace(/\s+/g, ' ')
    .trim()
}

function compare(committed, current) {
  if (committed === current) return
  const [old, now] = [committed, current].map(text => new Set(text.split('\n')))
  const gone = [...old].filter(line => !now.has(line)).map(line => `- ${line}`)
  const added = [...now].filter(line => !old.has(line)).map(line => `+ ${line}`)
  for (const line of [...gone, ...added].slice(0, SHOWN_DIFFERENCES)) console.error(line)
  console.error('The public API is not that of test/api-report.txt: if it should be, run `npm run api`.')
  process.exit(1)
}
