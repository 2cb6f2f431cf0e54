// Memory: banks, what is in them, who may do what with them.
import { all, call, may, mayChange } from './api.js';
import {
  action,
  ask,
  DANGER,
  draw,
  empty,
  enc,
  compact,
  head,
  html,
  memoryCount,
  nothing,
  problem,
  repeat,
  subnav,
  tag,
  toast,
  sample,
  choose,
} from './parts.js';
import { contradictionsOf } from './contradictions.js';
import { evaluating } from './evaluate.js';
import { importedByDrop, importing } from './memory-import.js';
import { memoryList } from './memory-list.js';
import { find, showMemory } from './memory-one.js';
import { menu } from './menu.js';
import { censor, loading } from './memory-parts.js';
import { bankTrash, trash } from './memory-trash.js';
import { unusedMemories } from './memory-unused.js';
import { restored } from './memory-words.js';
import { permissions } from './permissions.js';

const GRANTS = ['read', 'append', 'write', 'manage'];
const ACCESS = ['private', 'bank', 'agent', 'domain', 'public'];

const newBank = (go) =>
  ask({
    title: 'New memory bank',
    text: 'A named, searchable, shared collection of memories.',
    verb: 'Create',
    tool: 'MB_Create',
    fields: [
      { name: 'name', label: 'Name', required: true, max: 64 },
      { name: 'description', label: 'Description', max: 2000 },
      { name: 'access', label: 'Who may read it', options: ACCESS, value: 'private' },
      { name: 'agent', label: 'Its manager', hint: 'One of your agents. Optional.' },
    ],
    args: ({ agent, ...vx }) => compact({ target: compact({ agent }), vx: compact(vx) }),
    done: (answer) => go(`/console/memory/${enc(answer.bank.name)}`),
  });

const memories = (bank) => `${memoryCount(bank.memories)} ${bank.memories === 1 ? 'memory' : 'memories'}`;

const PARTS = [
  ['banks', 'Banks', '/console/memory'],
  ['permissions', 'Permissions', '/console/memory?view=permissions'],
  ['trash', 'Trash', '/console/memory?view=trash'],
];

export async function show(context) {
  const { at, view, on, go, isHere } = context;
  const banks = await all('MB_List', {}, (body) => body.profile.map((bank, i) => ({ ...bank, ...body.content[i] })));
  const part = at.parts[0] ? null : at.query.get('view');
  const bankName = at.parts[0] ?? banks[0]?.name;
  let content = null; // Draws what is shown below the parts, once it is read.

  function drawn() {
    if (!isHere() || !content) return;
    draw(
      html`${head('Memory', {
        sub: 'What agents remember, in shared banks.',
        actions: [action('MB_Create', 'New bank', () => newBank(go), '')],
      })}
      ${subnav('Parts', PARTS, ['permissions', 'trash'].includes(part) ? part : 'banks')} ${content()}`,
      view,
    );
  }

  if (part === 'permissions') content = await permissions(banks, drawn);
  else if (part === 'trash') content = await trash(banks, go, drawn);
  else if (bankName) {
    on('memories', (memory) => {
      const bank = banks.find((one) => one.name === memory.bank);
      if (!bank || memory.change !== 'stored') return;
      bank.memories += memory.count ?? 1;
      drawn();
    });
    const detail = await bankDetail(bankName, { ...context, drawn }).catch((error) => () => problem(error));
    content = () =>
      html`<div class="split${at.parts[0] ? ' chosen' : ''}">
        <nav class="side channels" aria-label="Banks">
          ${repeat(
            banks,
            (bank) => bank.name,
            (bank) => bankEntry(bank, bankName),
          )}
        </nav>
        <div class="detail" tabindex="-1">${detail()}</div>
      </div>`;
  } else {
    content = () =>
      html`${empty(
        'No memory banks yet',
        'A bank holds what agents learned, for the next session and for each other. Create one, give your agents access to it, and tell one: “Store what we decided.” Or drop an export of ChatGPT, Claude, mem0 or Obsidian on it.',
        action('MB_Create', 'Create a bank', () => newBank(go), ''),
      )}
      ${sample(
        {
          title: 'money-is-in-cents',
          meta: 'claude · 2d ago',
          state: ['decision'],
          text: 'Amounts are integers in cents, never floats.',
        },
        {
          title: 'staging-disk-full',
          meta: 'gemini · 5h ago',
          state: ['runbook'],
          text: 'Grow the claim, wait for the resize, restart nothing.',
        },
      )}`;
  }
  if (bankName) choose('.channels', view);
  drawn();
}

const bankEntry = (bank, chosen) =>
  html`<a
    href="/console/memory/${enc(bank.name)}"
    data-go="true"
    aria-current=${bank.name === chosen ? 'page' : nothing}
    ><b dir="auto">${bank.name}</b><span class="soft" data-bank=${bank.name}>${memoryCount(bank.memories)}</span></a
  >`;

const PARTS_OF_BANK = {
  load: loading,
  import: importing,
  trash: bankTrash,
  evaluate: evaluating,
  contradictions: contradictionsOf,
  unused: unusedMemories,
};

// Returns what draws a bank, one of its parts, or one of its memories.
async function bankDetail(name, { at, on, go, isHere, drawn }) {
  const first = await call('MB_Read', { target: { bank: name }, page: { limit: 50 } });
  const [bank] = first.profile;
  const part = PARTS_OF_BANK[at.query.get('view')];
  if (part) return part(bank, { go, isHere, drawn });
  const memory = at.parts.slice(1).join('/');
  let missing; // It has no such memory any more: the list stands.
  if (memory) {
    try {
      return showMemory(await find(bank.name, memory), bank, { go, isHere, drawn });
    } catch (error) {
      missing = error;
    }
  }
  const list = await memoryList({ bank, query: at.query.get('q'), on, isHere, drawn });
  const view = () => html`${missing ? problem(missing) : nothing}${bankHead(bank, go)}${list()}`;
  return mayChange('MB_Import') ? () => importedByDrop(bank, go, view()) : view;
}

const store = (bank) =>
  ask({
    title: `Store in ${bank.name}`,
    verb: 'Store',
    tool: 'MB_Store',
    fields: [
      { name: 'content', label: 'Text', long: 4, required: true, max: 64000 },
      { name: 'name', label: 'Name', max: 64, hint: 'The same name again creates a new revision.' },
      { name: 'tags', label: 'Tags', hint: 'Comma-separated.' },
      { name: 'agent', label: 'As the agent', hint: 'One of yours. Optional: default is you.' },
    ],
    args: (values) =>
      compact({
        target: compact({ bank: bank.name, agent: values.agent }),
        content: values.content,
        vx: compact({
          name: values.name,
          tags: values.tags
            ? values.tags
                .split(',')
                .map((one) => one.trim())
                .filter(Boolean)
            : undefined,
        }),
      }),
    done: () => toast('Stored.'),
  });

const remove = (bank, go) =>
  ask({
    title: `Delete the bank ${bank.name}?`,
    text: `All of it goes to the trash: ${memories(bank)}. It can be restored for 30 days.`,
    verb: 'Move to trash',
    danger: true,
    tool: 'MB_Delete',
    args: () => ({ target: { bank: bank.name } }),
    done: ({ changed }) => {
      go('/console/memory?view=trash');
      if (!changed) return toast(`The bank ${bank.name} was in the trash already.`);
      return toast(`The bank ${bank.name} is in the trash for 30 days.`, async () => {
        const answer = await call('MB_Restore', { target: { bank: bank.name } });
        go(`/console/memory/${enc(bank.name)}`);
        toast(restored(answer));
      });
    },
  });

// What an agent may do with the bank, given to it by name.
const share = (bank) =>
  ask({
    title: `Share ${bank.name}`,
    text: 'An agent reads, appends, writes or manages it from now on. The page Permissions shows who may already.',
    verb: 'Share',
    tool: 'MB_Permissions',
    fields: [
      { name: 'agent', label: 'With the agent', required: true, max: 64 },
      { name: 'access', label: 'It may', options: GRANTS, value: 'read' },
    ],
    args: ({ agent, access }) => ({ target: { bank: bank.name, agent }, vx: { access } }),
    done: (_, { agent, access }) =>
      toast(`${agent} may ${access} ${bank.name}.`, async () => {
        await call('MB_Permissions', { target: { bank: bank.name, agent }, vx: { access: 'none' } });
        toast(`${agent} may no longer ${access} ${bank.name}.`);
      }),
  });

// What a bank is exported as: the words, the query, the extension of the file, and what it is for.
const EXPORTS = [
  ['Export', 'revisions=true', 'jsonl', 'The whole bank with its history, as JSON lines that an import takes in'],
  ['Export for Obsidian', 'format=markdown', 'zip', 'A folder of Markdown notes with links, also for basic-memory'],
  [
    'Export as CSV',
    'format=csv',
    'csv',
    'A table with a memory in each row. Others wrote the texts: import the columns as text',
  ],
];

const exportLink = (bank, [words, query, extension, title]) =>
  html`<a
    class="button quiet"
    href="/api/banks/${enc(bank.name)}/export?${query}"
    download="${bank.name}.${extension}"
    title=${title}
    >${words}</a
  >`;

function bankHead(bank, go) {
  const path = `/console/memory/${enc(bank.name)}`;
  const again = () => go(location.pathname, true);
  const view = (name, words, isAllowed = true) =>
    isAllowed ? html`<a class="button quiet" href="${path}?view=${name}">${words}</a>` : nothing;
  return html`<header class="detail-head">
      <div>
        <h2 dir="auto">${bank.name}</h2>
        <p dir="auto" class="soft">${bank.description}</p>
      </div>
      <div class="head-actions">
        ${action('MB_Store', 'Store a memory', () => store(bank), '')}
        ${action('MB_Permissions', 'Share', () => share(bank))} ${view('trash', 'Trash', may('MB_Trash'))}
        ${menu('More', [
          view('load', 'Preview loading'),
          view('unused', 'Never found'),
          ...(may('MB_Export') ? EXPORTS.map((one) => exportLink(bank, one)) : []),
          view('import', 'Import', mayChange('MB_Import')),
          view('evaluate', 'Evaluate', may('MB_Evaluate')),
          view('contradictions', 'Contradictions', may('MB_Evaluate')),
          action('MB_Censor', 'Censor…', () => censor(bank, again), DANGER),
          action('MB_Delete', 'Delete', () => remove(bank, go), DANGER),
        ])}
      </div>
    </header>
    <p class="tagline">
      ${tag(`access ${bank.access}`)} ${tag(`owned by ${bank.owner}`)}
      ${bank.state !== 'active' ? tag(bank.state, 'destroys') : nothing} ${tag(memories(bank))}
    </p>`;
}
