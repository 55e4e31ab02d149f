/**
 * A persistent map by text: `with` answers a new map and leaves the old one as it was, at a cost that grows with the logarithm of its size (32
 * places at each of a few levels are copied). A run with tens of thousands of steps folds in time that is as good as linear in its events.
 */
export interface Ledger<V> {
  readonly size: number;
  get(key: string): V | undefined;
  has(key: string): boolean;
  with(key: string, value: V): Ledger<V>;
  without(keys: readonly string[]): Ledger<V>;
  /** In an order that follows from what was put and taken away, and in which order; it means nothing. */
  entries(): Iterable<readonly [string, V]>;
}

/** A tree parts by so many bits of a key's hash at each level. */
const BITS = 5;
const WIDTH = 2 ** BITS;
/** So few stand in a list; with one more they are parted. A small ledger is one list. */
const CROWD = 8;
/** Behind this no bits are left: whose hashes are the same stand in a list, however many they are. */
const DEEPEST = 30;

type Entry<V> = readonly [key: string, value: V];
type Leaf<V> = readonly Entry<V>[];
interface Fork<V> {
  readonly children: readonly (Tree<V> | undefined)[];
}
type Tree<V> = Leaf<V> | Fork<V>;

const isFork = <V>(tree: Tree<V>): tree is Fork<V> => "children" in tree;
const EMPTY: Fork<never> = { children: Array.from({ length: WIDTH }, () => undefined) };

class Rooted<V> implements Ledger<V> {
  readonly size: number;
  readonly #root: Tree<V>;

  constructor(size: number, root: Tree<V>) {
    this.size = size;
    this.#root = root;
  }
  get(key: string): V | undefined {
    return find(this.#root, key)?.[1];
  }
  has(key: string): boolean {
    return find(this.#root, key) !== undefined;
  }
  with(key: string, value: V): Ledger<V> {
    return new Rooted(this.size + (this.has(key) ? 0 : 1), put(this.#root, [key, value], 0));
  }
  without(keys: readonly string[]): Ledger<V> {
    const gone = new Set(keys.filter((key) => this.has(key)));
    let root = this.#root;
    for (const key of gone) root = take(root, key, 0);
    return gone.size === 0 ? this : new Rooted(this.size - gone.size, root);
  }
  entries(): Iterable<readonly [string, V]> {
    return walk(this.#root);
  }
}

function find<V>(root: Tree<V>, key: string): Entry<V> | undefined {
  let tree: Tree<V> | undefined = root;
  if (isFork(tree)) {
    const hash = hashOf(key);
    for (let depth = 0; tree !== undefined && isFork(tree); depth += BITS) tree = tree.children[place(hash, depth)];
  }
  return tree?.find(([other]) => other === key);
}

function put<V>(tree: Tree<V>, entry: Entry<V>, depth: number, hash: number | null = null): Tree<V> {
  if (isFork(tree)) {
    const known = hash ?? hashOf(entry[0]);
    const at = place(known, depth);
    return { children: tree.children.with(at, put(tree.children[at] ?? [], entry, depth + BITS, known)) };
  }
  const at = tree.findIndex(([key]) => key === entry[0]);
  if (at >= 0) return tree.with(at, entry);
  const all = [...tree, entry];
  return all.length <= CROWD || depth > DEEPEST ? all : parted(all, depth);
}

function parted<V>(entries: Leaf<V>, depth: number): Tree<V> {
  let fork: Tree<V> = EMPTY;
  for (const entry of entries) fork = put(fork, entry, depth);
  return fork;
}

/** What is there. */
function take<V>(tree: Tree<V>, key: string, depth: number): Tree<V> {
  if (!isFork(tree)) return tree.filter(([other]) => other !== key);
  const at = place(hashOf(key), depth);
  const left = take(tree.children[at] ?? [], key, depth + BITS);
  return { children: tree.children.with(at, !isFork(left) && left.length === 0 ? undefined : left) };
}

function* walk<V>(tree: Tree<V>): Iterable<Entry<V>> {
  if (!isFork(tree)) yield* tree;
  else for (const child of tree.children) if (child !== undefined) yield* walk(child);
}

/** 32 bits, each of which depends on every character (FNV-1a, and a mixing at the end). */
function hashOf(key: string): number {
  let hash = 0x811c9dc5;
  for (let at = 0; at < key.length; at++) hash = Math.imul(hash ^ key.charCodeAt(at), 0x01000193);
  hash = Math.imul(hash ^ (hash >>> 15), 0x2c1b3c6d);
  return hash ^ (hash >>> 13);
}
const place = (hash: number, depth: number): number => (hash >>> depth) & (WIDTH - 1);

export function ledger<V>(): Ledger<V> {
  return new Rooted<V>(0, []);
}
