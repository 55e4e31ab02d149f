import { Line } from "@woml/child";
import { BOUNDS } from "./bounds.ts";
import type { Dispatch, Fence, Found, Named, Performed, PluginHost, Release } from "./door.ts";
import { type FromHost, PROTOCOL, type ToHost } from "./frames.ts";
import { dispatchRule, parseFromHost } from "./parse.ts";

export interface ReachOptions {
  /** Null: it is not stored. Rejects when that cannot be told now. */
  readonly release: (digest: string) => Promise<Release | null>;
}
type Pending =
  | { readonly asks: "perform"; readonly dispatch: Dispatch; cancelled: boolean; readonly resolve: (performed: Performed) => void }
  | { readonly asks: "attach"; readonly ask: Fence & Named; readonly resolve: (performed: Performed | null) => void }
  | { readonly asks: "reattach"; readonly resolve: (found: Found) => void };

const ABSENT = { status: "refused", reason: "unavailable", message: "No plugin host is there." } as const;
const LOST: Performed = {
  status: "ambiguous",
  code: "WOML_PLUGIN_HOST_LOST",
  message: "The plugin host went away while it had the operation.",
};

/** Connects, and again whenever the host was restarted. Rejects when there is none within ten seconds or it speaks another protocol. */
export async function openPluginHost(socketPath: string, options: ReachOptions): Promise<PluginHost> {
  const reach = new Reach(socketPath, options);
  await reach.opened();
  return reach;
}

/** The invariants stand at PluginHost. */
class Reach implements PluginHost {
  readonly #options: ReachOptions;
  readonly #pending = new Map<number, Pending>();
  readonly #line: Line<ToHost, FromHost>;
  #next = 0;

  constructor(path: string, options: ReachOptions) {
    this.#options = options;
    this.#line = new Line<ToHost, FromHost>({
      ...{ path, name: "plugin host", protocol: PROTOCOL, maxBytes: BOUNDS.frameBytes, parse: parseFromHost },
      met: () => this.#met(),
      heard: (frame, answer) => this.#heard(frame, answer),
      lost: () => this.#lose(),
    });
  }
  opened(): Promise<void> {
    return this.#line.opened();
  }

  perform(dispatch: Dispatch): Promise<Performed> {
    const complaint = dispatchRule(dispatch);
    if (complaint !== undefined) return Promise.resolve(invalid(complaint));
    if (!this.#line.isOpen) return Promise.resolve(ABSENT);
    const { promise, resolve } = Promise.withResolvers<Performed>();
    this.#line.send({ frame: "perform", id: this.#keep({ asks: "perform", dispatch, cancelled: false, resolve }), dispatch });
    return promise;
  }
  attach(asked: Fence & Named): Promise<Performed | null> {
    if (this.#line.isClosed) return Promise.resolve(ABSENT);
    const ask = only(asked);
    const { promise, resolve } = Promise.withResolvers<Performed | null>();
    const id = this.#keep({ asks: "attach", ask, resolve });
    this.#line.send({ frame: "attach", id, ask });
    return promise;
  }
  reattach(dispatch: Dispatch): Promise<Found> {
    const complaint = dispatchRule(dispatch);
    if (complaint !== undefined) return Promise.resolve({ status: "unknown", message: invalid(complaint).message });
    if (!this.#line.isOpen) return Promise.resolve(ABSENT);
    const { promise, resolve } = Promise.withResolvers<Found>();
    this.#line.send({ frame: "reattach", id: this.#keep({ asks: "reattach", resolve }), dispatch });
    return promise;
  }
  cancel(asked: Named): void {
    for (const pending of this.#pending.values()) {
      if (pending.asks === "perform" && same(pending.dispatch, asked)) pending.cancelled = true;
    }
    this.#line.send({ frame: "cancel", named: named(asked) });
  }
  async close(): Promise<void> {
    this.#line.close();
    const pending = [...this.#pending.values()];
    this.#pending.clear();
    for (const one of pending) {
      if (one.asks === "perform") one.resolve(LOST);
      else one.resolve(ABSENT);
    }
  }

  #keep(pending: Pending): number {
    this.#next += 1;
    this.#pending.set(this.#next, pending);
    return this.#next;
  }

  /** Who only reads may ask again. Who attaches, or may have had an effect, waits for the next host. */
  #lose(): void {
    for (const [id, pending] of this.#pending) {
      if (pending.asks === "attach" || (pending.asks === "perform" && pending.dispatch.effect !== "pure")) continue;
      this.#pending.delete(id);
      pending.resolve(ABSENT);
    }
  }

  #heard(frame: Exclude<FromHost, { readonly frame: "hello" }>, answer: (frame: ToHost) => void): void {
    if (frame.frame === "wanted") void this.#send(frame.digest, answer);
    else {
      const pending = this.#pending.get(frame.id);
      this.#pending.delete(frame.id);
      if (pending?.asks === "reattach" && frame.frame === "found") pending.resolve(frame.found);
      else if (pending?.asks === "attach" && frame.frame === "attached") pending.resolve(frame.performed);
      else if (pending?.asks === "perform" && frame.frame === "performed") pending.resolve(frame.performed);
      else if (pending?.asks === "perform" && frame.frame === "attached") pending.resolve(afterLoss(frame.performed));
    }
  }
  #met(): void {
    for (const [id, pending] of this.#pending) {
      if (pending.asks === "reattach") continue;
      const ask = pending.asks === "attach" ? pending.ask : only(pending.dispatch);
      this.#line.send({ frame: "attach", id, ask });
      if (pending.asks === "perform" && pending.cancelled) this.#line.send({ frame: "cancel", named: named(ask) });
    }
  }

  async #send(digest: string, answer: (frame: ToHost) => void): Promise<void> {
    const release = await this.#options.release(digest).catch(() => undefined);
    if (release === undefined) answer({ frame: "absent", digest, reason: "unavailable" });
    else if (release === null || tooLarge(release)) answer({ frame: "absent", digest, reason: "unknown" });
    else {
      const { manifest, artefact } = release;
      answer({ frame: "release", digest, manifest, artefactBytes: artefact.length });
      for (let from = 0; from < artefact.length; from += BOUNDS.pieceBytes) {
        const base64 = Buffer.from(artefact.subarray(from, from + BOUNDS.pieceBytes)).toString("base64");
        answer({ frame: "piece", digest, base64 });
      }
    }
  }
}

/** That the next host does not know it, or does not say, proves nothing. */
const afterLoss = (found: Performed | null): Performed => (found === null || found.status === "refused" ? LOST : found);
const tooLarge = ({ manifest, artefact }: Release): boolean =>
  artefact.length > BOUNDS.artefactBytes || Buffer.byteLength(manifest) > BOUNDS.manifestBytes;

const invalid = (complaint: string): Extract<Performed, { status: "failed" }> => ({
  ...{ status: "failed", code: "WOML_PLUGIN_DISPATCH_INVALID", retryable: false },
  message: `The dispatch ${complaint}.`.slice(0, BOUNDS.messageChars),
  evidence: "It was not sent to the plugin host.",
});

const named = ({ tenant, run, attempt, key, try: nth }: Named): Named => ({ tenant, run, attempt, key, try: nth });
/** A frame takes no field more than it has. */
function only(ask: Fence & Named): Fence & Named {
  const { engine, epoch, now, notAfter } = ask;
  return { ...named(ask), engine, epoch, now, notAfter };
}
const same = (one: Named, other: Named): boolean =>
  one.tenant === other.tenant && one.run === other.run && one.attempt === other.attempt && one.key === other.key && one.try === other.try;
