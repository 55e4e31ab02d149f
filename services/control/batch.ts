/**
 * Collects the keys that are asked for in one turn of the event loop and loads them together; a key is loaded once. Lives as long as
 * one request.
 */
export function batched<K, V>(keyText: (key: K) => string, load: (keys: readonly K[]) => Promise<readonly V[]>): (key: K) => Promise<V> {
  const known = new Map<string, Promise<V>>();
  let waiting: Waiting<K, V>[] = [];
  const flush = async (): Promise<void> => {
    const group = waiting;
    waiting = [];
    try {
      const values = await load(group.map(({ key }) => key));
      for (const [at, { resolve }] of group.entries()) resolve(values[at] as V);
    } catch (error) {
      for (const { reject } of group) reject(error);
    }
  };
  return (key) => {
    const text = keyText(key);
    const found = known.get(text);
    if (found !== undefined) return found;
    const { promise, resolve, reject } = Promise.withResolvers<V>();
    if (waiting.length === 0) setImmediate(() => void flush());
    waiting.push({ key, resolve, reject });
    known.set(text, promise);
    return promise;
  };
}

interface Waiting<K, V> {
  readonly key: K;
  readonly resolve: (value: V) => void;
  readonly reject: (error: unknown) => void;
}
