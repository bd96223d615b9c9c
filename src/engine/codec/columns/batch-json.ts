// The rows of a batch as lines of JSON, which the WebAssembly module writes from columns. What it
// writes is what JSON.stringify makes of each row; a batch with a cell that is not plainly good is
// left to that.

import type { ColumnSpec } from '../../schema/column-spec'
import { projectionsOf } from '../projection'
import type { RowBatch } from '../row-batch'
import type { JsonBuffer } from '../row-json'
import type { BoundHeader } from '../tsv/header'
import { arrowTypeOf } from './arrow-type'
import { columnsCore, kernelOf, type LineColumn, type LinePlan } from './columns-core'
import { isText8 } from './decode-columns'

const TEXT = 1

/** How values are written. */
const KINDS: { readonly [T in ColumnSpec['type']]?: number } = {
  text: TEXT,
  decimal: TEXT,
  date: TEXT,
  timestamp: TEXT,
  oneOf: TEXT,
  int32: 2,
  int64: 3,
  boolean: 4,
  list: 5,
  regions: 6,
  aspects: 7,
  conditionDescriptors: 8,
}

/** The kernels of columns whose JSON is the text of the file. */
const TEXT_KERNELS: { readonly [T in ColumnSpec['type']]?: number } = {
  decimal: 13,
  date: 15,
  timestamp: 16,
  oneOf: 17,
}
const SCALED_KERNEL = 14

/**
 * Writes a line for each row in view. Returns false, and writes nothing, where a cell may be bad or
 * of a kind that the module does not write.
 */
export function writeBatchJson(batch: RowBatch, out: JsonBuffer): boolean {
  const plan = batch.hasDecodedCells ? undefined : planOf(batch.header)
  const core = plan === undefined || !isText8(batch) ? null : columnsCore()
  if (plan === undefined || core === null || !core.begin(batch)) return false
  const nodes: number[] = []
  for (const { at, notNull, kernel } of plan.columns) {
    const node = core.decode(kernel, at)
    if (node === undefined || (notNull && !core.isFilled(node))) return false
    nodes.push(node)
  }
  if (!core.plan(plan, nodes)) return false
  for (let row = 0; row < batch.length; ) {
    const lines = core.lines(row, batch.length)
    out.raw(lines.text)
    row += lines.count
    // A row with more text than the module has room for.
    if (lines.count === 0) out.json(`${JSON.stringify(batch.row(row++))}\n`)
  }
  return true
}

const plans = new WeakMap<BoundHeader, LinePlan | 'none'>()

function planOf(header: BoundHeader): LinePlan | undefined {
  let plan = plans.get(header)
  if (plan === undefined) plans.set(header, (plan = newPlan(header) ?? 'none'))
  return plan === 'none' ? undefined : plan
}

function newPlan(header: BoundHeader): LinePlan | undefined {
  const specs = [...header.absent.values()]
  if (specs.some(({ type }) => type === 'cell')) return undefined
  const columns: LineColumn[] = []
  let names = ''
  let text = '{'
  // JavaScript has an order of properties of its own where names are numbers.
  for (const [name, value] of Object.entries(projectionsOf(header).all.ofValues(header.columns))) {
    text += `${names + text === '{' ? '' : ','}${JSON.stringify(name)}:`
    const at = header.columns.indexOf(value as (typeof header.columns)[number])
    if (at < 0) text += JSON.stringify(value)
    else {
      const column = lineColumn(header.columns[at]!.spec)
      if (column === undefined) return undefined
      columns.push({ at, nameBytes: Buffer.byteLength(text), ...column })
      names += text
      text = ''
    }
  }
  const end = `${text}}\n`
  return { columns, names: Buffer.from(names + end), endBytes: Buffer.byteLength(end) }
}

function lineColumn(spec: ColumnSpec): Omit<LineColumn, 'at' | 'nameBytes'> | undefined {
  const kind = KINDS[spec.type]
  const kernel = kernelOf(spec, arrowTypeOf(spec))
  const notNull = spec.notNull === true
  if (kind === undefined || kernel === undefined) return undefined
  const id =
    spec.type === 'decimal' && spec.scale !== undefined ? SCALED_KERNEL : TEXT_KERNELS[spec.type]
  return { kind, notNull, kernel: id === undefined ? kernel : { ...kernel, id } }
}
