// The plots of a report, drawn by echarts into SVG without a browser. This file is the adapter of
// echarts, which is an optional package. The colours have a middle brightness, so that the plots
// read on white and on black.

import type { EChartsCoreOption } from 'echarts'
import { missingPackage, printableText } from '../../engine/index'
import type { ColumnProfile, InspectReport } from '../report'
import { Markup } from './html'

export const FILLED = '#2f81f7'
export const EMPTY = '#8b949e'
export const INVALID = '#d9534f'
const DISTINCT = '#2da44e'
const TEXT = '#768390'
const LINES = '#76839055'
const FONT = 'system-ui, -apple-system, Segoe UI, Helvetica, Arial, sans-serif'

/** All in pixels. */
const WIDTH = 720
const ROW_HEIGHT = 18
const HEAD_HEIGHT = 34
const FOOT_HEIGHT = 28
const NAME_WIDTH = 210
const FIGURE_WIDTH = 72
/** The most characters of a column name beside a bar. */
const NAME_CHARACTERS = 30
/** A plot of a hostile file has no more columns than this. */
export const MOST_PLOTTED_COLUMNS = 500

/**
 * Draws as SVG the shares of filled, empty and invalid cells of each column, and its distinct values
 * on a logarithmic scale.
 * @throws FeedError DEPENDENCY_MISSING without echarts
 */
export async function plotsOf({ columns }: InspectReport) {
  const { init } = await loadEcharts()
  // echarts counts from the bottom.
  const shown = columns.slice(0, MOST_PLOTTED_COLUMNS).toReversed()
  const height = HEAD_HEIGHT + Math.max(1, shown.length) * ROW_HEIGHT + FOOT_HEIGHT
  const drawn = (option: EChartsCoreOption) => {
    const chart = init(null, null, { renderer: 'svg', ssr: true, width: WIDTH, height })
    chart.setOption({ animation: false, textStyle: { fontFamily: FONT }, ...option })
    const svg = chart.renderToSVGString()
    chart.dispose()
    return new Markup(withoutStyles(svg))
  }
  return { cells: drawn(cellsOption(shown)), distinct: drawn(distinctOption(shown)) }
}

async function loadEcharts(): Promise<Pick<typeof import('echarts'), 'init'>> {
  try {
    const { init } = await import('echarts')
    return { init }
  } catch (cause) {
    throw missingPackage('the HTML report of inspect', 'echarts', 'echarts@^6.1', cause)
  }
}

/**
 * The policy of the page allows no styles inside of it: fonts become attributes. The styles for a
 * mouse over a part have names that count the charts of a process, and are left out.
 */
function withoutStyles(svg: string): string {
  return svg
    .replace(/ class="zr\d+-cls-\d+"/g, '')
    .replace(/\n<style ?>.*?<\/style>/gs, '')
    .replace(
      / style="font-size:(\d+px);font-family:([^";]*);?"/g,
      ' font-size="$1" font-family="$2"',
    )
}

function cellsOption(columns: readonly ColumnProfile[]): EChartsCoreOption {
  const shares = (count: (column: ColumnProfile) => number) =>
    columns.map(column => {
      const cells = column.filled + column.empty
      return cells === 0 ? 0 : (count(column) / cells) * 100
    })
  // An invalid cell of a column that must not be empty is an empty one.
  const invalid = (column: ColumnProfile) => Math.min(column.invalid, column.filled)
  const series = [
    { name: 'valid', color: FILLED, data: shares(column => column.filled - invalid(column)) },
    { name: 'invalid', color: INVALID, data: shares(invalid) },
    { name: 'empty', color: `${EMPTY}66`, data: shares(({ empty }) => empty) },
  ]
  return {
    ...frame(columns),
    legend: {
      top: 0,
      left: NAME_WIDTH,
      data: series.map(({ name }) => name),
      textStyle: { color: TEXT, fontFamily: FONT },
      itemWidth: 12,
      itemHeight: 12,
      selectedMode: false,
    },
    xAxis: {
      ...axis,
      type: 'value',
      min: 0,
      max: 100,
      axisLabel: { ...label, formatter: '{value}%' },
    },
    series: series.map(({ name, color, data }) => ({
      ...bar,
      name,
      stack: 'cells',
      itemStyle: { color },
      data,
    })),
  }
}

function distinctOption(columns: readonly ColumnProfile[]): EChartsCoreOption {
  const most = Math.max(10, ...columns.map(({ distinct }) => distinct))
  return {
    ...frame(columns),
    xAxis: { ...axis, type: 'log', min: 1, max: 10 ** Math.ceil(Math.log10(most)) },
    series: [
      {
        ...bar,
        itemStyle: { color: DISTINCT },
        // A bar of the value 1 would have no length on this scale.
        data: columns.map(({ distinct, distinctIsExact }) => ({
          value: Math.max(1.05, distinct),
          label: {
            ...label,
            show: true,
            position: 'right',
            formatter: `${distinctIsExact ? '' : '≈ '}${distinct.toLocaleString('en-US')}`,
          },
        })),
      },
    ],
  }
}

const bar = { type: 'bar', silent: true, barWidth: 11 } as const
const label = { color: TEXT, fontSize: 11, fontFamily: FONT }
const axis = {
  axisLabel: label,
  splitLine: { lineStyle: { color: LINES } },
  axisLine: { show: false },
  axisTick: { show: false },
}

function frame(columns: readonly ColumnProfile[]) {
  return {
    grid: {
      left: NAME_WIDTH,
      right: FIGURE_WIDTH,
      top: HEAD_HEIGHT,
      bottom: FOOT_HEIGHT,
      outerBoundsMode: 'none',
    },
    yAxis: {
      type: 'category',
      data: columns.map(({ name }) => cutName(name)),
      axisLine: { show: false },
      axisTick: { show: false },
      axisLabel: { ...label, interval: 0 },
    },
  }
}

/** The end of a long name says more than its middle. */
function cutName(name: string): string {
  const line = printableText(name).replaceAll(/\s+/g, ' ')
  if (line.length <= NAME_CHARACTERS) return line
  return `${line.slice(0, NAME_CHARACTERS - 9)}…${line.slice(-8)}`
}
