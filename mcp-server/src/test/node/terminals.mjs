// Records the real Claude Code and the real Codex in two terminals: a person asks Claude Code to ask Codex; the idle session of Codex
// wakes up and answers. Both join a new engine with the commands of the README, in a home folder of their own, and run with the
// defaults of their makers. Only what needs an account is scripted: the two models, and the check of Claude Code's auto mode.
// Fails if the answer does not reach Claude Code's terminal. Without a path, it writes to mcp-server/target/terminals.svg.
//
//   mcp-server/src/test/node/node_modules/.bin/node mcp-server/src/test/node/terminals.mjs docs/pictures/terminals.svg
import { execFileSync, spawn } from 'node:child_process'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { hostname, tmpdir, userInfo } from 'node:os'
import { basename, delimiter, dirname, join, resolve } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import pty from '@lydell/node-pty'
import xterm from '@xterm/headless'
import { scriptedModel } from './scripted-model.mjs'
import { film } from './terminal-film.mjs'

const SIZE = { cols: 60, rows: 24 }
const LIMIT = 5 * 60_000 // Of each step, in milliseconds: it only ends a hang.
const STILL = 400 // How long a screen has not changed, in milliseconds, when it counts as drawn.
const THINKING = 1200 // How long a model takes, so that a reader can follow.
const KEY = 'sk-ant-scripted-0000000000000000'
const QUESTION = 'Which port do the tests use?'
const ANSWER = 'Port 8123, from tests/server.conf.'
const TESTED = 'All 12 tests of the cart pass.'

const here = dirname(fileURLToPath(import.meta.url))
const root = resolve(here, '../../../..')
const target = resolve(process.argv[2] ?? join(root, 'mcp-server/target/terminals.svg'))
const home = mkdtempSync(join(tmpdir(), 'terminals-'))
const project = join(home, 'shop')
const ends = [() => rmSync(home, { recursive: true, force: true, maxRetries: 20, retryDelay: 250 })]

const fail = message => {
  throw new Error(message)
}

const until = async (what, isTrue) => {
  for (const end = Date.now() + LIMIT; !await isTrue(); await pause(100)) {
    if (Date.now() > end) fail(`did not happen: ${what()}`)
  }
}

// What the models reply to what they are shown: a text, or a call of a tool.
const claude = ({ prompt, result }) => {
  const answer = /Port \d+[^"\\\n]*/.exec(result + prompt)
  if (answer) return `Codex says: “${answer[0]}”`
  if (prompt.includes('new message from codex')) return { tool: 'AP_Wait', input: {} } // If Codex was slower than the call.
  return prompt.includes('Ask codex')
    ? { tool: 'AP_Chat', input: { target: { agent: 'codex' }, content: QUESTION, wait_seconds: 240 } }
    : 'Codex has not answered yet.'
}
const codex = ({ prompt, result }) => {
  if (result.includes(QUESTION)) return { tool: 'AP_Chat', input: { target: { agent: 'claude' }, content: ANSWER } }
  if (result) return 'I told claude that the tests use port 8123.'
  if (prompt.includes('single-line task title')) return 'Run the tests of the cart'
  return prompt.includes('new message from claude') ? { tool: 'AP_Wait', input: {} } : TESTED
}

/** A program in a terminal: what it printed and when, and what its screen shows now. */
class Terminal {
  events = []
  screen = new xterm.Terminal({ ...SIZE, allowProposedApi: true })

  constructor(environment, file, ...args) {
    this.program = pty.spawn(file, args, { name: 'xterm-256color', ...SIZE, cwd: project, env: environment })
    this.screen.onData(answer => this.program.write(answer)) // To a question such as where the cursor is.
    this.program.onData(text => {
      this.events.push({ time: Date.now(), text })
      this.screen.write(text)
    })
    this.ended = new Promise(done => this.program.onExit(({ exitCode }) => {
      this.code = exitCode
      done()
    }))
    ends.push(async () => {
      if (this.code === undefined) this.program.kill('SIGKILL')
      await this.ended
    })
  }

  text() {
    const { active } = this.screen.buffer
    return Array.from({ length: SIZE.rows }, (_, row) => active.getLine(active.viewportY + row).translateToString(true)).join('\n')
  }

  // Waits for a text, and meanwhile does something.
  shows(text, meanwhile = () => {}) {
    return until(() => `“${text}” in this terminal:\n${this.text()}`, () => {
      if (this.text().includes(text)) return true
      if (this.code !== undefined) fail(`the program ended:\n${this.text()}`)
      meanwhile()
    })
  }

  // Presses a key until the terminal shows a text: a program ignores keys that come too soon.
  press(key, text) {
    let pressed = 0
    return this.shows(text, () => {
      if (Date.now() - pressed < 2000) return
      this.program.write(key)
      pressed = Date.now()
    })
  }

  // Waits until its screen has stayed as it is for a while.
  still() {
    let [seen, since] = ['', 0]
    return until(() => `nothing changes in this terminal:\n${this.text()}`, () => {
      if (this.text() !== seen) [seen, since] = [this.text(), Date.now()]
      return Date.now() - since >= STILL
    })
  }

  async type(text) {
    for (const key of text) {
      this.program.write(key)
      await pause(60)
    }
    await this.shows(text)
    await this.still() // Codex takes an Enter that follows a key at once for a part of pasted text.
    this.program.write('\r')
  }
}

const startEngine = async () => {
  execFileSync(join(root, 'engine'), ['build'], { stdio: 'inherit' })
  const engine = spawn(join(root, 'engine'), ['--port', '0', '--data-dir', join(home, 'data')])
  const ended = new Promise(done => engine.on('exit', done))
  ends.push(() => engine.kill('SIGTERM') && ended)
  let printed = ''
  for (const stream of [engine.stdout, engine.stderr]) stream.on('data', text => { printed += text })
  const address = () => /^ready (\S+)/m.exec(printed)?.[1]
  await until(() => `the engine starts; it printed ${printed}`, () => address() || engine.exitCode !== null)
  return address() ?? fail(`the engine ended: ${printed}`)
}

// Runs the line of an invitation, and says yes to its questions.
const joinWith = async (line, environment) => {
  const terminal = new Terminal(environment, '/bin/sh', '-c', line)
  terminal.program.write('\r\r')
  await until(() => `the end of ${line}: ${terminal.text()}`, () => terminal.code !== undefined)
  if (terminal.code !== 0) fail(`${line} failed: ${terminal.text()}`)
}

// What a user has who has started both programs before. For Codex, the only setting is where its model is.
const setUp = model => {
  for (const folder of [project, join(home, '.codex'), join(home, 'tmp')]) mkdirSync(folder)
  writeFileSync(join(home, '.claude.json'), JSON.stringify({
    hasCompletedOnboarding: true,
    hasSeenAutoDefaultNotice: true,
    theme: 'dark',
    customApiKeyResponses: { approved: [KEY.slice(-20)], rejected: [] },
    projects: { [project]: { hasTrustDialogAccepted: true, hasCompletedProjectOnboarding: true } },
  }))
  writeFileSync(join(home, '.codex/config.toml'), `model_provider = "scripted"
[model_providers.scripted]
name = "scripted"
base_url = "${model}/v1"
env_key = "OPENAI_API_KEY"
wire_api = "responses"
supports_websockets = false
`)
  const claudes = join(here, 'node_modules/@anthropic-ai')
  return {
    PATH: [
      ...readdirSync(claudes).filter(name => name.startsWith('claude-code-')).map(name => join(claudes, name)),
      join(here, 'node_modules/.bin'),
      process.env.PATH,
    ].join(delimiter),
    HOME: home,
    TMPDIR: join(home, 'tmp'),
    LANG: 'C.UTF-8',
    TERM: 'xterm-256color',
    COLORTERM: 'truecolor',
    ANTHROPIC_BASE_URL: model,
    ANTHROPIC_API_KEY: KEY,
    OPENAI_API_KEY: KEY,
    // Neither program looks for updates, nor reports anything.
    CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
    CLAUDE_CODE_DISABLE_OFFICIAL_MARKETPLACE_AUTOINSTALL: '1',
    DISABLE_AUTOUPDATER: '1',
    HTTPS_PROXY: 'http://127.0.0.1:9',
    NO_PROXY: '127.0.0.1',
  }
}

// Codex starts servers that outlive its window.
const endServers = () => {
  for (const file of ['daemon.pid', 'daemon-updater.pid'].map(name => join(home, '.codex/app-server-daemon', name))) {
    try {
      process.kill(JSON.parse(readFileSync(file, 'utf8')).pid, 'SIGKILL')
    } catch {
      // It did not start, or has ended.
    }
  }
}

// Starts Codex, and trusts the hooks that it asks about. On a busy machine it can end there, since it first discards what was typed
// before, within a second. Then a person starts it again.
const startCodex = async (environment, attempts = 10) => {
  const terminal = new Terminal(environment, 'codex')
  try {
    await terminal.shows('Hooks need review')
    await terminal.press('\x1b[B', '› 2. Trust all') // Down.
    await terminal.press('\r', 'Ask Codex to do anything')
    return terminal
  } catch (error) {
    if (attempts === 1 || terminal.code === undefined) throw error
    return startCodex(environment, attempts - 1)
  }
}

// What must not be in the recording. Keys and codes are secret, the rest is nobody's business.
const secrets = invited => {
  const folder = join(home, '.config/agent-workspace')
  const keys = readdirSync(folder, { withFileTypes: true }).filter(each => each.isDirectory()).map(({ name }) => join(folder, name, 'key'))
  return [
    basename(home), hostname(), userInfo().username, KEY,
    ...[join(home, 'data/first-api-key'), ...keys].flatMap(file => readFileSync(file, 'utf8').match(/\bek_\w+/) ?? fail(`${file} has no key`)),
    ...invited.match(/\bej_\w+/g),
  ]
}

// A terminal breaks long words, and programs indent and frame what follows. Only whole words count if they are short.
const shows = (text, secret) => {
  const literally = RegExp.escape?.(secret) ?? secret.replace(/[^\w]/g, '\\$&')
  const folded = text.replace(/[\s\u2500-\u259f]+/g, '')
  return new RegExp(`(?<!\\w)${literally}(?!\\w)`).test(text) || secret.length > 8 && folded.includes(secret)
}

const record = async model => {
  const environment = setUp(model.url)
  const url = await startEngine()
  const invited = execFileSync(join(root, 'engine'), ['invite', 'claude', 'codex'], {
    encoding: 'utf8',
    env: { ...process.env, ENGINE_DATA_DIR: join(home, 'data'), ENGINE_PORT: new URL(url).port, ENGINE_BASE_URL: '', ENGINE_KEY: '' },
  })
  for (const line of invited.trim().split('\n')) await joinWith(line, environment)

  ends.push(endServers)
  const right = await startCodex(environment)
  await right.type('Run the tests of the cart.')
  await right.shows(TESTED)
  await right.shows('Worked for')
  if (right.text().includes('f2 to view')) { // Such as that its sandbox is not installed.
    await right.press('\x1bOQ', 'dismiss')
    right.program.write('\x1b')
  }
  const left = new Terminal(environment, 'claude')
  await left.shows('auto mode on')
  await Promise.all([left.still(), right.still()])

  const start = Date.now()
  await pause(1000) // So that a reader sees where it begins.
  await left.type('Ask codex which port the tests use.')
  await left.shows(`Codex says: “${ANSWER}”`)
  await right.shows('I told claude')
  await Promise.all([left.still(), right.still()])
  const recording = await film([{ name: 'Claude Code (the agent claude)', ...left }, { name: 'Codex (the agent codex)', ...right }], SIZE, start)
  for (const secret of secrets(invited)) {
    if (shows(recording.text, secret)) fail(`the recording shows what begins with ${secret.slice(0, 5)}`)
  }
  return recording
}

const cleanUp = async () => {
  for (const end of ends.splice(0).reverse()) {
    try {
      await end()
    } catch (reason) {
      process.exitCode = 1 // The others end all the same.
      console.error(reason)
    }
  }
}
for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => cleanUp().finally(() => process.exit(1)))

try {
  const model = await scriptedModel(async (isClaude, shown) => {
    await pause(THINKING)
    return (isClaude ? claude : codex)(shown)
  })
  ends.push(model.close)
  const { svg, seconds } = await Promise.race([record(model), model.failed])
  mkdirSync(dirname(target), { recursive: true })
  writeFileSync(target, svg)
  console.log(`${target}: ${seconds.toFixed(1)} s, ${svg.length} bytes`)
} finally {
  await cleanUp()
}
process.exit()
