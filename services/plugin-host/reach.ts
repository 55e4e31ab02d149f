import { connect } from "node:net";
import { openWire, type Wire } from "@woml/child";
import { BOUNDS } from "./bounds.ts";
import type { Dispatch, Fence, Found, Named, Performed, PluginHost, Release } from "./door.ts";
import { type FromHost, PROTOCOL, type ToHost, type Welcome } from "./frames.ts";
import { dispatchRule, parseFromHost } from "./parse.ts";

const FIRST_WAIT_MS = 10_000;
const RETRY_MS = [20, 50, 100, 250] as const;

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
  readonly #path: string;
  readonly #options: ReachOptions;
  readonly #pending = new Map<number, Pending>();
  readonly #first = Promise.withResolvers<void>();
  #wire: Wire<ToHost> | undefined;
  #next = 0;
  #closed = false;
  #tries = 0;
  #retry: NodeJS.Timeout | undefined;

  constructor(path: string, options: ReachOptions) {
    this.#path = path;
    this.#options = options;
    this.#connect();
  }
  async opened(): Promise<void> {
    const timer = setTimeout(() => this.#first.reject(new Error(`No plugin host answers at ${this.#path}.`)), FIRST_WAIT_MS);
    try {
      await this.#first.promise;
    } catch (error) {
      await this.close();
      throw error;
    } finally {
      clearTimeout(timer);
    }
  }

  perform(dispatch: Dispatch): Promise<Performed> {
    const complaint = dispatchRule(dispatch);
    if (complaint !== undefined) return Promise.resolve(invalid(complaint));
    const wire = this.#wire;
    if (wire === undefined) return Promise.resolve(ABSENT);
    const { promise, resolve } = Promise.withResolvers<Performed>();
    wire.send({ frame: "perform", id: this.#keep({ asks: "perform", dispatch, cancelled: false, resolve }), dispatch });
    return promise;
  }
  attach(asked: Fence & Named): Promise<Performed | null> {
    if (this.#closed) return Promise.resolve(ABSENT);
    const ask = only(asked);
    const { promise, resolve } = Promise.withResolvers<Performed | null>();
    const id = this.#keep({ asks: "attach", ask, resolve });
    this.#wire?.send({ frame: "attach", id, ask });
    return promise;
  }
  reattach(dispatch: Dispatch): Promise<Found> {
    const complaint = dispatchRule(dispatch);
    if (complaint !== undefined) return Promise.resolve({ status: "unknown", message: invalid(complaint).message });
    if (this.#wire === undefined) return Promise.resolve(ABSENT);
    const { promise, resolve } = Promise.withResolvers<Found>();
    this.#wire.send({ frame: "reattach", id: this.#keep({ asks: "reattach", resolve }), dispatch });
    return promise;
  }
  cancel(asked: Named): void {
    for (const pending of this.#pending.values()) {
      if (pending.asks === "perform" && same(pending.dispatch, asked)) pending.cancelled = true;
    }
    this.#wire?.send({ frame: "cancel", named: named(asked) });
  }
  async close(): Promise<void> {
    this.#closed = true;
    clearTimeout(this.#retry);
    this.#wire?.end();
    this.#wire = undefined;
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

  #connect(): void {
    const wire: Wire<ToHost> = openWire<ToHost, FromHost>(connect(this.#path), {
      maxBytes: BOUNDS.frameBytes,
      parse: parseFromHost,
      heard: (frame) => this.#heard(wire, frame),
      closed: () => {
        if (this.#wire === wire) this.#lose();
        this.#again();
      },
    });
    wire.send({ frame: "hello", protocol: PROTOCOL });
  }
  #again(): void {
    if (this.#closed) return;
    const delayMs = RETRY_MS[Math.min(this.#tries, RETRY_MS.length - 1)];
    this.#tries += 1;
    this.#retry = setTimeout(() => this.#connect(), delayMs);
  }
  /** Who only reads may ask again. Who attaches, or may have had an effect, waits for the next host. */
  #lose(): void {
    this.#wire = undefined;
    for (const [id, pending] of this.#pending) {
      if (pending.asks === "attach" || (pending.asks === "perform" && pending.dispatch.effect !== "pure")) continue;
      this.#pending.delete(id);
      pending.resolve(ABSENT);
    }
  }

  #heard(wire: Wire<ToHost>, frame: FromHost): void {
    if (frame.frame === "hello") this.#welcomed(wire, frame);
    else if (frame.frame === "wanted") void this.#send(wire, frame.digest);
    else {
      const pending = this.#pending.get(frame.id);
      this.#pending.delete(frame.id);
      if (pending?.asks === "reattach" && frame.frame === "found") pending.resolve(frame.found);
      else if (pending?.asks === "attach" && frame.frame === "attached") pending.resolve(frame.performed);
      else if (pending?.asks === "perform" && frame.frame === "performed") pending.resolve(frame.performed);
      else if (pending?.asks === "perform" && frame.frame === "attached") pending.resolve(afterLoss(frame.performed));
    }
  }
  #welcomed(wire: Wire<ToHost>, { protocol }: Welcome): void {
    if (protocol !== PROTOCOL) {
      this.#first.reject(new Error(`The plugin host speaks protocol ${protocol}, this engine ${PROTOCOL}.`));
      wire.end();
      return;
    }
    this.#tries = 0;
    this.#wire = wire;
    this.#first.resolve();
    for (const [id, pending] of this.#pending) {
      if (pending.asks === "reattach") continue;
      const ask = pending.asks === "attach" ? pending.ask : only(pending.dispatch);
      wire.send({ frame: "attach", id, ask });
      if (pending.asks === "perform" && pending.cancelled) wire.send({ frame: "cancel", named: named(ask) });
    }
  }

  async #send(wire: Wire<ToHost>, digest: string): Promise<void> {
    const release = await this.#options.release(digest).catch(() => undefined);
    if (release === undefined) wire.send({ frame: "absent", digest, reason: "unavailable" });
    else if (release === null || tooLarge(release)) wire.send({ frame: "absent", digest, reason: "unknown" });
    else {
      const { manifest, artefact } = release;
      wire.send({ frame: "release", digest, manifest, artefactBytes: artefact.length });
      for (let from = 0; from < artefact.length; from += BOUNDS.pieceBytes) {
        const base64 = Buffer.from(artefact.subarray(from, from + BOUNDS.pieceBytes)).toString("base64");
        wire.send({ frame: "piece", digest, base64 });
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
