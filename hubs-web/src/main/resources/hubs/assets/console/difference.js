// What distinguishes two lists of paragraphs: which are the same, added and removed, in the order of reading.
export function changes(before, after) {
  let start = 0;
  while (start < before.length && start < after.length && before[start] === after[start]) start++;
  let end = 0;
  while (end < before.length - start && end < after.length - start && before.at(-1 - end) === after.at(-1 - end)) end++;
  const old = before.slice(start, before.length - end);
  const now = after.slice(start, after.length - end);
  const same = (list) => list.map((text) => ({ sign: '=', text }));
  return [...same(before.slice(0, start)), ...between(old, now), ...same(before.slice(before.length - end))];
}

// The longest common part, as long as the table stays small; else whatever is in one of them only.
function between(old, now) {
  if (old.length * now.length > 4_000_000) {
    const [had, has] = [new Set(old), new Set(now)];
    return [
      ...old.filter((text) => !has.has(text)).map((text) => ({ sign: '-', text })),
      ...now.filter((text) => !had.has(text)).map((text) => ({ sign: '+', text })),
    ];
  }
  const width = now.length + 1;
  const table = new Uint16Array((old.length + 1) * width);
  for (let i = old.length - 1; i >= 0; i--) {
    for (let j = now.length - 1; j >= 0; j--) {
      table[i * width + j] =
        old[i] === now[j]
          ? table[(i + 1) * width + j + 1] + 1
          : Math.max(table[(i + 1) * width + j], table[i * width + j + 1]);
    }
  }
  const found = [];
  let i = 0;
  let j = 0;
  while (i < old.length || j < now.length) {
    if (i < old.length && j < now.length && old[i] === now[j]) {
      found.push({ sign: '=', text: old[i++] });
      j++;
    } else if (j >= now.length || (i < old.length && table[(i + 1) * width + j] >= table[i * width + j + 1]))
      found.push({ sign: '-', text: old[i++] });
    else found.push({ sign: '+', text: now[j++] });
  }
  return found;
}
