// Makes what is made of the sources and their comments, with one reading of them. Git keeps only the
// API report. The words choose what is made:
//
// api       writes test/api-report.txt
// check     fails where test/api-report.txt is not that of the sources
// reference writes src/reference: names and types of the compiler, texts of the comments, defaults
//           and bounds of the tables of options. It fails, and says where, for an option without a default, a
//           number without bounds, a default that the code contradicts, an error code without
//           `@remedy`, and an event or a channel without a comment
// pages     writes src/api too, see typedoc.config.js
// types     writes the declarations of each source to .tmp/types, which tsup then bundles

import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { parseArgs } from 'node:util'
import { isReported, reportOf, writeReport } from './api-report.mjs'
import { errorsPage } from './reference/errors-page.mjs'
import { eventsPage } from './reference/events-page.mjs'
import { optionsPage } from './reference/options-page.mjs'
import { ENTRIES, problems, programOf, sourcesOf } from './reference/sources.mjs'

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { root: { type: 'string', default: join(import.meta.dirname, '..') } },
})
const { root } = values
const isAsked = (...words) => words.some(word => positionals.includes(word))

// A checker prints the parts of a type in the order in which it met them, so what is made would
// depend on what else is, if one checker made both.
let program
function freshProgram() {
  program = programOf(root, program)
  return program
}

if (isAsked('reference', 'pages')) writeReference(sourcesOf(root, freshProgram()))
if (isAsked('pages')) await writeApiPages(freshProgram())
if (isAsked('api', 'check', 'types')) {
  const sources = sourcesOf(root, freshProgram())
  const declarations = declarationsOf(program)
  if (isAsked('types')) writeTypes(declarations)
  if (isAsked('api')) writeReport(reportOf(sources, declarations))
  if (isAsked('check') && !isReported(reportOf(sources, declarations))) process.exitCode = 1
}

function writeReference(sources) {
  const pages = {
    'options.md': optionsPage(sources),
    'errors.md': errorsPage(sources),
    'events.md': eventsPage(sources),
  }
  for (const problem of new Set(problems)) console.error(problem)
  if (problems.length > 0) process.exit(1)
  const folder = emptyFolder('src/reference')
  for (const [name, text] of Object.entries(pages)) writeFileSync(join(folder, name), text)
}

async function writeApiPages(program) {
  const { Application } = await import('typedoc')
  const app = await Application.bootstrapWithPlugins({ logLevel: 'Warn' })
  const entryPoints = Object.values(ENTRIES).map(path => ({
    displayName: path.replace('.ts', ''),
    program,
    sourceFile: program.getSourceFile(join(root, 'src', path)),
  }))
  const project = app.converter.convert(entryPoints)
  app.validate(project)
  await app.generateOutputs(project)
  if (app.logger.hasErrors() || app.logger.hasWarnings()) process.exit(1)
}

/** The text of the declarations of each source, by the path of the source. */
function declarationsOf(program) {
  const texts = new Map()
  program.emit(undefined, (_, text, _bom, _error, [source]) => texts.set(source.fileName, text), undefined, true)
  return texts
}

function writeTypes(declarations) {
  const folder = emptyFolder('.tmp/types')
  const src = join(root, 'src')
  // A declaration may name the type of a table in JSON, which stands for itself.
  const tables = program
    .getSourceFiles()
    .filter(({ fileName }) => fileName.startsWith(`${src}/`) && fileName.endsWith('.json'))
    .map(({ fileName, text }) => [fileName, text])
  for (const [source, text] of [...declarations, ...tables]) {
    const path = join(folder, relative(src, source).replace(/\.ts$/, '.d.ts'))
    mkdirSync(dirname(path), { recursive: true })
    writeFileSync(path, text)
  }
}

function emptyFolder(path) {
  const folder = join(root, path)
  rmSync(folder, { recursive: true, force: true })
  mkdirSync(folder, { recursive: true })
  return folder
}
