// A model on loopback that replies by a script, in the dialects of Claude Code (Messages) and Codex (Responses).
import { createServer } from 'node:http'

const textOf = node => typeof node === 'string' ? node
  : Array.isArray(node) ? node.map(textOf).join('\n')
  : node && typeof node === 'object' ? ['text', 'content', 'output'].map(name => textOf(node[name])).join('\n') : ''

let calls = 0

const harmless = { type: 'evaluated', outcome: 'not_flagged' }

const messages = ({ model }, reply) => {
  const isTool = reply.tool !== undefined
  const block = isTool
    ? { type: 'tool_use', id: `toolu_${++calls}`, name: `mcp__agent-workspace__${reply.tool}`, input: {} }
    : { type: 'text', text: '' }
  const deltas = isTool
    ? [{ type: 'input_json_delta', partial_json: JSON.stringify(reply.input) }]
    : reply.split(/(?<= )/).map(text => ({ type: 'text_delta', text }))
  const usage = { input_tokens: 10, output_tokens: 5 }
  const message = { id: `msg_${++calls}`, type: 'message', role: 'assistant', model, content: [], stop_reason: null, stop_sequence: null, usage }
  return [
    { type: 'message_start', message },
    { type: 'content_block_start', index: 0, content_block: block },
    ...deltas.map(delta => ({ type: 'content_block_delta', index: 0, delta })),
    { type: 'content_block_stop', index: 0 },
    {
      type: 'message_delta',
      delta: {
        stop_reason: isTool ? 'tool_use' : 'end_turn',
        stop_sequence: null,
        // The service checks each tool call, since auto mode is the default. Without this, Claude Code asks its user.
        ...isTool && { safeguard_results: [{ type: 'dangerous_tool_use', status: { type: 'available', tool_uses: { [block.id]: harmless } } }] },
      },
      usage,
    },
    { type: 'message_stop' },
  ]
}

const responses = ({ model }, reply) => {
  const id = `item_${++calls}`
  const item = reply.tool === undefined
    ? { type: 'message', id, role: 'assistant', status: 'completed', content: [{ type: 'output_text', annotations: [], text: reply }] }
    : { type: 'custom_tool_call', id, call_id: `call_${calls}`, name: 'exec', status: 'completed',
        input: `text(await tools.mcp__agent_workspace__${reply.tool}(${JSON.stringify(reply.input)}))` }
  const usage = {
    input_tokens: 10, input_tokens_details: { cached_tokens: 0 },
    output_tokens: 5, output_tokens_details: { reasoning_tokens: 0 },
    total_tokens: 15,
  }
  const response = { id: `resp_${++calls}`, object: 'response', created_at: 1, model, status: 'completed', usage, output: [item] }
  return [
    { type: 'response.created', response: { ...response, status: 'in_progress', output: [] } },
    { type: 'response.output_item.added', output_index: 0, item },
    { type: 'response.output_item.done', output_index: 0, item },
    { type: 'response.completed', response },
  ]
}

// What the model was shown since its own last reply.
const latest = all => all.slice(all.findLastIndex(each => each.role === 'assistant' || each.type?.endsWith('_call')) + 1)

const isResult = each => each.type?.endsWith('_output') || each.type === 'tool_result'

/**
 * @param script returns the reply, from whether Claude Code asks, and what the model was shown since its own last reply
 * @returns its address, `close`, and `failed`, which rejects if it could not reply
 */
export async function scriptedModel(script) {
  let fail
  const failed = new Promise((_, reject) => { fail = reject })
  failed.catch(() => {}) // Whoever waits for it learns of it.
  const answer = async (request, response) => {
    let body = ''
    for await (const part of request) body += part
    const asked = body ? JSON.parse(body) : {}
    const path = request.url.split('?')[0]
    const isClaude = path.endsWith('/messages')
    if (!isClaude && !path.endsWith('/responses')) {
      response.setHeader('Content-Type', 'application/json')
      return response.end('{"input_tokens":10,"object":"list","data":[],"models":[]}')
    }
    const parts = latest(asked.messages ?? asked.input)
      .flatMap(each => isResult(each) || !Array.isArray(each.content) ? [each] : each.content)
    const reply = isClaude && !asked.tools?.length
      ? 'ok' // To a request for a title and the like.
      : await script(isClaude, { prompt: textOf(parts.filter(each => !isResult(each))), result: textOf(parts.filter(isResult)) })
    response.setHeader('Content-Type', 'text/event-stream')
    const events = (isClaude ? messages : responses)(asked, reply)
    response.end(events.map(each => `event: ${each.type}\ndata: ${JSON.stringify(each)}\n\n`).join(''))
  }
  const server = createServer((request, response) => answer(request, response).catch(error => {
    fail(error)
    response.destroy()
  }))
  await new Promise(done => server.listen(0, '127.0.0.1', done))
  const close = () => {
    server.close()
    server.closeAllConnections()
  }
  return { url: `http://127.0.0.1:${server.address().port}`, failed, close }
}
