// What a package needs at run time, by package-lock.json: no development, no optional and no types-only package.

interface Entry {
  readonly version?: string;
  /** A workspace: where it is. */
  readonly link?: true;
  readonly resolved?: string;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly peerDependencies?: Readonly<Record<string, string>>;
  readonly peerDependenciesMeta?: Readonly<Record<string, { readonly optional?: boolean }>>;
}
/** By folder: "node_modules/pg", "services/engine"; a workspace has a link in node_modules as well. */
export type Lock = Readonly<Record<string, Entry>>;

export interface Closure {
  /** Folders of workspaces. */
  readonly rooms: readonly string[];
  /** Folders of packages from outside, with their versions. */
  readonly packages: Readonly<Record<string, string>>;
  /** Where a workspace is found by name: link → folder. */
  readonly links: Readonly<Record<string, string>>;
}

const TYPES_ONLY = /(^|\/)(@types\/[^/]+|undici-types|@graphql-typed-document-node\/core)$/;

export function closureOf(lock: Lock, root: string): Closure {
  const rooms = new Set([root]);
  const packages: Record<string, string> = {};
  const links: Record<string, string> = {};
  const left = [root];
  for (let folder = left.pop(); folder !== undefined; folder = left.pop()) {
    for (const name of needs(entryAt(lock, folder))) {
      const found = find(lock, folder, name);
      const { link, resolved = "", version = "" } = entryAt(lock, found);
      const target = link ? resolved : found;
      if (TYPES_ONLY.test(found) || rooms.has(target) || target in packages) continue;
      if (link) links[found] = target;
      if (link) rooms.add(target);
      else packages[found] = version;
      left.push(target);
    }
  }
  return { rooms: [...rooms].sort(), packages, links };
}

function needs({ dependencies = {}, peerDependencies = {}, peerDependenciesMeta = {} }: Entry): readonly string[] {
  return [...Object.keys(dependencies), ...Object.keys(peerDependencies).filter((name) => !peerDependenciesMeta[name]?.optional)];
}

/** As Node looks for it: in the folder's own node_modules, then in those above. */
function find(lock: Lock, folder: string, name: string): string {
  const inside = `${folder}/node_modules/${name}`;
  if (inside in lock) return inside;
  const above = folder.lastIndexOf("/node_modules/");
  if (above >= 0) return find(lock, folder.slice(0, above), name);
  if (`node_modules/${name}` in lock) return `node_modules/${name}`;
  throw new Error(`package-lock.json has no ${name}, which ${folder} needs`);
}

function entryAt(lock: Lock, folder: string): Entry {
  const entry = lock[folder];
  if (entry === undefined) throw new Error(`package-lock.json has no ${folder}`);
  return entry;
}
