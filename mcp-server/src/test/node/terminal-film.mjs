// Draws what terminals showed, side by side, as one animated SVG. Each distinct line of a screen is drawn once; the screens of a
// terminal are one below the other in a strip that moves. Without animation, the last screen is shown.
import xterm from '@xterm/headless'

const FONT = 12
const [CELL, LINE, PAD, BAR, GAP] = [7.2, 15, 9, 26, 12]
const [LONGEST_PAUSE, SHORTEST_FRAME, LAST_FRAME] = [1000, 90, 5000] // Milliseconds.
const INK = '#d7dae0'
const PAPER = '#16181d'
const PALETTE = ['#3b4048', '#f47067', '#8ddb8c', '#f0c674', '#6cb6ff', '#dcbdfb', '#76e3ea', '#d7dae0']
const BRIGHT = ['#8b949e', '#ff938a', '#b4f1b4', '#ffdf9b', '#96d0ff', '#eedcff', '#b3f0ff', '#ffffff']

const escaped = text => text.replace(/[&<>]/g, each => `&#${each.charCodeAt(0)};`)

const hex = number => `#${number.toString(16).padStart(6, '0')}`

const paletteColour = index => {
  if (index < 16) return [...PALETTE, ...BRIGHT][index]
  if (index >= 232) return hex((8 + (index - 232) * 10) * 0x010101)
  const level = digit => digit && 55 + digit * 40
  const rest = index - 16
  return hex(level(Math.floor(rest / 36)) << 16 | level(Math.floor(rest / 6) % 6) << 8 | level(rest % 6))
}

const colour = (number, isPalette, isRgb, otherwise) => isPalette ? paletteColour(number) : isRgb ? hex(number) : otherwise

const styleOf = cell => {
  const ink = colour(cell.getFgColor(), cell.isFgPalette(), cell.isFgRGB(), INK)
  const paper = colour(cell.getBgColor(), cell.isBgPalette(), cell.isBgRGB(), PAPER)
  const marks = [cell.isBold() && ' font-weight="700"', cell.isItalic() && ' font-style="italic"', cell.isDim() && ' opacity=".6"']
  return { ink: cell.isInverse() ? paper : ink, paper: cell.isInverse() ? ink : paper, marks: marks.filter(Boolean).join('') }
}

// Cells of one style become one text, whose length is fixed: fonts differ.
const drawLine = line => {
  const runs = []
  for (let column = 0; column < line.length; column++) {
    const cell = line.getCell(column)
    if (!cell.getWidth()) continue
    const text = (cell.getChars() || ' ').replace('⏵', '▸') // Few fonts have the first one.
    const style = { ...styleOf(cell), isAscii: text < '\u007f' }
    const last = runs.at(-1)
    if (last && JSON.stringify(last.style) === JSON.stringify(style)) {
      last.text += text
      last.width += cell.getWidth()
    } else runs.push({ column, text, style, width: cell.getWidth() })
  }
  const at = number => Number((number * CELL).toFixed(1))
  const papers = runs.filter(({ style }) => style.paper !== PAPER)
    .map(({ column, width, style }) => `<rect x="${at(column)}" width="${at(width) + 0.6}" height="${LINE + 0.6}" fill="${style.paper}"/>`)
  const texts = runs.filter(({ text }) => text.trim()).map(run => {
    const text = run.text.trim()
    const start = run.column + run.text.length - run.text.trimStart().length
    const width = run.width - (run.text.length - text.length)
    return `<text x="${at(start)}" y="11.5" textLength="${at(width)}" fill="${run.style.ink}"${run.style.marks}>${escaped(text)}</text>`
  })
  return [...papers, ...texts].join('')
}

// Plays what a terminal received, and returns its distinct screens from the start on: when each began, and its lines.
const screensOf = async (events, size, start) => {
  const groups = []
  for (const { time, text } of events) {
    const last = groups.at(-1)
    if (last && time - last.time < SHORTEST_FRAME) last.text += text
    else groups.push({ time: Math.max(time, start), text })
  }
  const terminal = new xterm.Terminal({ ...size, allowProposedApi: true })
  const screens = []
  for (const { time, text } of groups) {
    await new Promise(done => terminal.write(text, done))
    const { active } = terminal.buffer
    const lines = Array.from({ length: size.rows }, (_, row) => active.getLine(active.viewportY + row))
    const screen = { time, lines: lines.map(drawLine), text: lines.map(line => line.translateToString(true)).join('\n') }
    if (screen.lines.join() !== screens.at(-1)?.lines.join()) screens.push(screen)
  }
  return screens
}

/** @param terminals the name of each, and what it received and when */
export async function film(terminals, size, start) {
  const strips = await Promise.all(terminals.map(({ events }) => screensOf(events, size, start)))
  const times = [...new Set(strips.flat().map(({ time }) => time))].sort((a, b) => a - b)
  const shortened = new Map([[times[0], 0]])
  for (let i = 1; i < times.length; i++) {
    shortened.set(times[i], shortened.get(times[i - 1]) + Math.min(LONGEST_PAUSE, times[i] - times[i - 1]))
  }
  const length = shortened.get(times.at(-1)) + LAST_FRAME

  const ids = new Map()
  const idOf = line => ids.get(line) ?? ids.set(line, `a${ids.size}`).get(line)
  const high = size.rows * LINE
  const step = high + LINE // So that nothing of the next screen shows through.
  const [width, height] = [size.cols * CELL + 2 * PAD, high + 2 * PAD + BAR]
  const drawn = strips.map((screens, index) => {
    const x = index * (width + GAP)
    const frames = screens.map(({ lines }, frame) =>
      lines.map((line, row) => line && `<use href="#${idOf(line)}" y="${frame * step + row * LINE}"/>`).join('')).join('\n')
    const keys = screens.map(({ time }, frame) =>
      `${(shortened.get(time) / length * 100).toFixed(3)}%{transform:translateY(${-frame * step}px)}`).join('')
    const end = `translateY(${-(screens.length - 1) * step}px)`
    return {
      style: `#s${index}{transform:${end};animation:k${index} ${length}ms step-end infinite}@keyframes k${index}{${keys}to{transform:${end}}}`,
      body: `<rect x="${x}" width="${width}" height="${height}" rx="9" fill="${PAPER}" stroke="#6e7681" stroke-opacity=".5"/>
<text x="${x + width / 2}" y="18" text-anchor="middle" fill="#9aa0a8">${escaped(terminals[index].name)}</text>
${['#f47067', '#f0c674', '#8ddb8c'].map((dot, i) => `<circle cx="${x + 16 + i * 16}" cy="14" r="4.5" fill="${dot}"/>`).join('')}
<svg x="${x + PAD}" y="${BAR + PAD}" width="${width - 2 * PAD}" height="${high}"><g id="s${index}">${frames}</g></svg>`,
    }
  })
  const whole = terminals.length * (width + GAP) - GAP
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="-1 -1 ${whole + 2} ${height + 2}" width="${whole + 2}" height="${height + 2}">
<style>text{font:${FONT}px ui-monospace,SFMono-Regular,Menlo,Consolas,"DejaVu Sans Mono",monospace;white-space:pre}
${drawn.map(({ style }) => style).join('\n')}
@media (prefers-reduced-motion:reduce){${drawn.map((_, i) => `#s${i}`).join()}{animation:none}}</style>
<defs>${[...ids].map(([line, id]) => `<g id="${id}">${line}</g>`).join('\n')}</defs>
${drawn.map(({ body }) => body).join('\n')}
</svg>
`
  return { svg, seconds: length / 1000, text: strips.flat().map(({ text }) => text).join('\n') }
}
