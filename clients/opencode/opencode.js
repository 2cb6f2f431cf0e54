// The hooks of opencode: tells the engine what a session does, shows what waits, and wakes the session when a message comes.
// Without the engine it does nothing. A wake-up has names only, no text of others.
import { readFileSync } from 'node:fs'

const url = '@ENGINE@/api/hooks/opencode'
const patience = 45_000
const editing = ['edit', 'write', 'multiedit', 'patch', 'apply_patch']

const key = () => {
  try {
    return readFileSync('@KEY_FILE@', 'utf8').trim()
  } catch {
    return '' // It has left.
  }
}

// Whether the engine was down at the first event: then opencode has none of its tools.
let late

const send = async body => {
  try {
    const response = await fetch(url, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', 'X-Api-Key': key() },
      body: JSON.stringify(body),
      redirect: 'error', // Another server may be there by now, which must not send the key on.
      signal: AbortSignal.timeout(2_000),
    })
    late ??= false
    return response.ok ? (await response.json()).hookSpecificOutput ?? {} : {}
  } catch {
    late ??= true
    return {}
  }
}

const pause = seconds => new Promise(done => setTimeout(done, seconds * 1_000))

export const AgentWorkspace = async ({ client, directory, worktree }) => {
  const main = new Map() // Whether a session is none of a sub-agent.
  const begun = new Set()
  const failed = new Set() // Sessions whose turn its user or an error has ended.
  const following = new Map()

  // Sub-agents have sessions of their own, which concern nobody else.
  const isMain = async id => {
    if (!main.has(id)) {
      const found = await client.session.get({ path: { id } }).catch(() => undefined)
      main.set(id, !found?.data?.parentID)
    }
    return main.get(id)
  }

  // The engine takes no address with what could be one of its own credentials, which begin like the ids of opencode.
  const nameOf = id => id.replace(/^ses_/, '')

  const report = (id, name, more = {}) => send({ hook_event_name: name, session_id: nameOf(id), ...more })

  // One line of the stream is one wake-up.
  const wake = async (id, text) => {
    await client.session.promptAsync({ path: { id }, body: { parts: [{ type: 'text', text: `Workspace: ${text}.` }] } })
  }

  // Only the session whose turn began last: a turn that nobody sees must cost nothing.
  const follow = async id => {
    if (following.has(id) || process.env.ENGINE_LISTENER === 'off') return
    for (const other of following.values()) other.abort()
    following.clear()
    const stop = new AbortController()
    following.set(id, stop)
    let after = ''
    let rest = 1
    while (!stop.signal.aborted) {
      try {
        const response = await fetch(`${url}/messages?for=${encodeURIComponent(nameOf(id))}${after && `&after=${after}`}${late ? '&connected=no' : ''}`, {
          headers: { 'X-Api-Key': key() },
          redirect: 'error',
          signal: stop.signal,
        })
        if (!response.ok) rest = [401, 403, 404].includes(response.status) ? 300 : rest
        else {
          let text = ''
          let line = ''
          const reader = response.body.getReader()
          const decoder = new TextDecoder()
          for (;;) {
            const silent = setTimeout(() => reader.cancel(), patience)
            const { done, value } = await reader.read().finally(() => clearTimeout(silent))
            if (done) break
            rest = 1
            text += decoder.decode(value, { stream: true })
            const lines = text.split('\n')
            text = lines.pop()
            for (const each of lines) {
              if (each.startsWith('id: ')) line = each.slice(4)
              if (!each.startsWith('data: ')) continue
              try {
                await wake(id, each.slice(6))
                after = line
                await report(id, 'WakeHeard', { line })
              } catch {
                await report(id, 'WakeFailed', { line })
              }
            }
          }
        }
      } catch {
        // The connection broke.
      }
      if (!stop.signal.aborted) await pause(rest)
      rest = Math.min(rest * 2, 30)
    }
  }

  return {
    'chat.message': async (input, output) => {
      const id = input.sessionID
      if (!await isMain(id)) return
      failed.delete(id)
      const texts = []
      if (!begun.has(id)) {
        begun.add(id)
        texts.push((await report(id, 'SessionStart', { source: 'startup' })).additionalContext)
      }
      follow(id)
      const prompt = output.parts.filter(part => part.type === 'text' && !part.synthetic).map(part => part.text).join('\n')
      texts.push((await report(id, 'UserPromptSubmit', { prompt: prompt.slice(0, 8_192) })).additionalContext)
      const text = texts.filter(Boolean).join('\n')
      const first = output.parts.find(part => part.type === 'text')
      if (text && first) output.parts.push({ ...first, id: `${first.id}w`, text: `<workspace>\n${text}\n</workspace>`, synthetic: true })
    },
    'tool.execute.before': async (input, output) => {
      const { filePath, patchText, command, workdir } = output.args ?? {}
      if (!(editing.includes(input.tool) && (filePath || patchText)) && !(input.tool === 'bash' && command)) return
      const said = await report(input.sessionID, 'PreToolUse', {
        cwd: directory,
        ...worktree && worktree !== '/' && { root: worktree }, // Outside of a repository it is "/".
        tool_name: input.tool,
        tool_input: {
          ...filePath && { file_path: filePath },
          ...patchText && { patch: patchText.split('\n').filter(each => each.startsWith('*** ')).join('\n') },
          ...input.tool === 'bash' && { command: command.slice(0, 16_384), ...workdir && { workdir } },
        },
      })
      if (said.permissionDecision === 'deny') throw new Error(said.permissionDecisionReason)
    },
    'tool.execute.after': async (input, output) => {
      if (!await isMain(input.sessionID)) return
      const { additionalContext } = await report(input.sessionID, 'PostToolUse', { tool_name: input.tool })
      if (additionalContext && typeof output.output === 'string') output.output += `\n\n<workspace>\n${additionalContext}\n</workspace>`
    },
    event: async ({ event }) => {
      const id = event.properties?.sessionID ?? event.properties?.info?.id
      if (event.type === 'session.error') failed.add(id)
      else if (event.type === 'session.deleted' && begun.has(id)) {
        following.get(id)?.abort()
        await report(id, 'SessionEnd')
      } else if (event.type === 'session.idle' && begun.has(id) && await isMain(id)) {
        const isOver = failed.delete(id)
        const { additionalContext } = await report(id, isOver ? 'Interrupt' : 'Stop')
        if (additionalContext && !isOver) await client.session.promptAsync({ path: { id }, body: { parts: [{ type: 'text', text: additionalContext }] } })
      }
    },
  }
}
