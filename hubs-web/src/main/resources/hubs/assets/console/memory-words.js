// What is said of memories, and of what became of them.
import { number } from './ui.js';

export const memoriesOf = (count) => `${number(count)} ${count === 1 ? 'memory' : 'memories'}`;

// What a memory is called: its name, else the beginning of its text.
export const memoryTitle = (one) => one.name ?? `${one.text.slice(0, 42)}${one.text.length > 42 ? '…' : ''}`;

// What a restore has done, by the answer of MB_Restore; agent where it was of what an agent wrote.
export function restored({ changed, memory, restored: count, bank }, agent) {
  if (!changed) return 'Nothing is restored: it was not in the trash.';
  if (memory) return `The memory ${memoryTitle(memory)} of ${bank.name} is restored.`;
  if (agent) return `What ${agent} wrote in ${bank.name} is restored: ${memoriesOf(count)}.`;
  return `The bank ${bank.name} is restored.`;
}
