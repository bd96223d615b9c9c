// The peers as a picture, drawn by echarts without a browser. Each case with several contenders has
// a group of bars, and all groups have one scale. The colours have a middle brightness and there is
// no background, so that the picture reads on white and on black. Equal reports give equal bytes.

import * as echarts from 'echarts'
import { TABLE_CASE_TITLES, type TableCase } from './macro/cases'
import { type BenchReport, type CaseResult, feedText } from './report'

const OURS = '#2f81f7'
const THEIRS = '#8b949e'
const TEXT = '#768390'
const LINE = '#d29922'
const FONT = 'system-ui, -apple-system, Segoe UI, Helvetica, Arial, sans-serif'

/** All in pixels. */
const WIDTH = 760
/**
 * The widest letter that is common in a font of 12 pixels: the picture is drawn without a browser,
 * so no text can be measured.
 */
const LETTER_WIDTH = 7.2
/** Room for the figures beside the longest bar. */
const FIGURES_WIDTH = 96
const BAR_PITCH = 22
const TITLE_HEIGHT = 30
const GAP = 14
const HEAD_HEIGHT = 46

interface Group {
  readonly name: TableCase
  /** From the slowest to the fastest: echarts counts from the bottom. */
  readonly contenders: readonly CaseResult[]
  readonly top: number
  readonly height: number
}

/** @returns the SVG document */
export function peersChart(report: BenchReport): string {
  const groups = groupsOf(report)
  const last = groups.at(-1)!
  const chart = echarts.init(null, null, {
    renderer: 'svg',
    ssr: true,
    width: WIDTH,
    height: last.top + last.height + GAP,
  })
  chart.setOption(optionOf(report, groups))
  const svg = chart.renderToSVGString()
  chart.dispose()
  return `${withoutHover(svg)}\n`
}

/**
 * Styles for a mouse over a part: a picture has none, and their names count the charts that a
 * process has made.
 */
function withoutHover(svg: string): string {
  return svg.replace(/ class="zr\d+-cls-\d+"/g, '').replace(/\n<style ?>.*?<\/style>/gs, '')
}

function groupsOf({ cases }: BenchReport): Group[] {
  const zlib = cases.find(({ name }) => name === 'zlib')?.contenders ?? []
  const groups: Group[] = []
  let top = HEAD_HEIGHT
  for (const { name, contenders } of cases) {
    const shown = [...(name === 'inflate' ? zlib : []), ...contenders]
    if (shown.length === 1 || name === 'rss') continue
    const height = shown.length * BAR_PITCH
    groups.push({
      name,
      contenders: shown.toSorted((a, b) => a.mbPerSecond - b.mbPerSecond),
      top: top + TITLE_HEIGHT,
      height,
    })
    top += TITLE_HEIGHT + height + GAP
  }
  return groups
}

function optionOf(report: BenchReport, groups: readonly Group[]): echarts.EChartsCoreOption {
  const { cases } = report
  const zlib = cases.find(({ name }) => name === 'zlib')?.contenders[0]
  const fastest = Math.max(
    zlib?.mbPerSecond ?? 0,
    ...groups.flatMap(({ contenders }) => contenders.map(({ mbPerSecond }) => mbPerSecond)),
  )
  const names = groups.flatMap(({ contenders }) =>
    contenders.map(({ contender }) => contender.length),
  )
  const left = Math.ceil(Math.max(...names) * LETTER_WIDTH)
  return {
    animation: false,
    textStyle: { fontFamily: FONT },
    title: [headOf(zlib), dataOf(report), ...groups.map(titleOf)],
    // Without this mode echarts makes a group narrower whose names it takes for too wide, and so
    // gives it a scale of its own.
    grid: groups.map(({ top, height }) => ({
      left,
      right: FIGURES_WIDTH,
      top,
      height,
      outerBoundsMode: 'none',
    })),
    xAxis: groups.map((_, gridIndex) => ({
      type: 'value',
      gridIndex,
      min: 0,
      max: fastest * 1.01,
      show: false,
    })),
    yAxis: groups.map(({ contenders }, gridIndex) => ({
      type: 'category',
      gridIndex,
      data: contenders.map(({ contender }) => contender),
      silent: true,
      axisLine: { show: false },
      axisTick: { show: false },
      axisLabel: { color: TEXT, fontSize: 12, fontFamily: FONT },
    })),
    series: groups.map((group, index) => seriesOf(group, index, zlib)),
  }
}

function headOf(zlib: CaseResult | undefined) {
  const line = zlib === undefined ? '' : ' · dashed line: node:zlib, which merely inflates the file'
  const text = `MB/s of the file before compression, more is better${line}`
  return {
    ...lineOfText(text, 4),
    textStyle: { color: TEXT, fontSize: 12, fontWeight: 'normal', fontFamily: FONT },
  }
}

/** Returns the data and the machine of the figures, without which they say little. */
function dataOf(report: BenchReport) {
  const { cores, node } = report.machine
  const text = `${feedText(report)} · ${cores} cores, Node ${node.slice(1)}`
  return {
    ...lineOfText(text, 20),
    textStyle: { color: TEXT, fontSize: 12, fontWeight: 'normal', fontFamily: FONT },
  }
}

function titleOf({ name, top }: Group) {
  const text = `${name} · ${TABLE_CASE_TITLES[name]}`
  return {
    ...lineOfText(text, top - TITLE_HEIGHT + 8),
    textStyle: { color: TEXT, fontSize: 13, fontWeight: 'bold', fontFamily: FONT },
  }
}

function lineOfText(text: string, top: number) {
  return { text, top, left: 0, padding: 0 }
}

function seriesOf({ name, contenders }: Group, index: number, zlib: CaseResult | undefined) {
  const line = {
    silent: true,
    symbol: 'none',
    label: { show: false },
    lineStyle: { color: LINE, type: 'dashed', width: 1 },
  }
  return {
    type: 'bar',
    xAxisIndex: index,
    yAxisIndex: index,
    silent: true,
    barWidth: 14,
    data: contenders.map(barOf),
    ...(zlib === undefined || name === 'inflate'
      ? {}
      : { markLine: { ...line, data: [{ xAxis: zlib.mbPerSecond }] } }),
  }
}

/** A wrong contender's bar is hollow, and its label says how wrong. */
function barOf({ ours, verdict, mbPerSecond }: CaseResult) {
  const color = ours ? OURS : THEIRS
  const hollow = { color: 'transparent', borderColor: color, borderType: 'dashed', borderWidth: 1 }
  return {
    value: mbPerSecond,
    itemStyle: verdict.right ? { color } : hollow,
    label: {
      show: true,
      position: 'right',
      color: ours ? OURS : TEXT,
      fontSize: 12,
      fontFamily: FONT,
      formatter: labelOf(mbPerSecond, verdict),
    },
  }
}

function labelOf(
  mbPerSecond: number,
  { right, expectedCount, identicalRows }: CaseResult['verdict'],
): string {
  const figure = mbPerSecond.toFixed(0)
  if (right) return figure
  return identicalRows === undefined
    ? `${figure}  wrong`
    : `${figure}  wrong: ${Math.floor((identicalRows / expectedCount) * 100)}% of rows right`
}
