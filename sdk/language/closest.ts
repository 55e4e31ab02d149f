/** Longer words are no slips of the pen. */
const LONGEST = 64;
const MOST = 1_000;

/** The candidate that `word` was most likely meant to be; null when none is near: at most a third of it may differ. */
export function closest(word: string, candidates: Iterable<string>): string | null {
  let best: { readonly name: string; readonly distance: number } | null = null;
  const most = Math.max(1, Math.floor(word.length / 3));
  if (word.length > LONGEST) return null;
  for (const name of Iterator.from(candidates).take(MOST)) {
    if (name === word || name.length > LONGEST || Math.abs(name.length - word.length) > most) continue;
    const distance = distanceOf(word.toLowerCase(), name.toLowerCase());
    if (distance <= most && (best === null || distance < best.distance)) best = { name, distance };
  }
  return best?.name ?? null;
}

/** A hint for a word that does not exist: "Did you mean x?", or `otherwise`. */
export function didYouMean(word: string, candidates: Iterable<string>, otherwise: string): string {
  const name = closest(word, candidates);
  return name === null ? otherwise : `Did you mean ${name}?`;
}

/** Insertions, deletions, replacements and swaps of neighbours that lead from one text to the other (optimal string alignment). */
function distanceOf(a: string, b: string): number {
  let [before, above]: [readonly number[], readonly number[]] = [[], Array.from({ length: b.length + 1 }, (_, at) => at)];
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    for (let j = 1; j <= b.length; j++) {
      const same = a[i - 1] === b[j - 1] ? 0 : 1;
      let cost = Math.min((row[j - 1] ?? 0) + 1, (above[j] ?? 0) + 1, (above[j - 1] ?? 0) + same);
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]) cost = Math.min(cost, (before[j - 2] ?? 0) + 1);
      row.push(cost);
    }
    [before, above] = [above, row];
  }
  return above[b.length] ?? 0;
}
