import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Client, openClient, type RunSummary, type Trigger } from "@woml/client";
import type { Definition } from "@woml/model";
import { explained, hasError, listed } from "./diagnostics.ts";
import { EXIT, type ExitCode } from "./exit.ts";
import { type Launched, launch } from "./launch.ts";
import { chosenOf, listen } from "./live/keyboard.ts";
import { type Read, readWorkflows, secretsIn } from "./live/reading.ts";
import { asJson, forPeople, type Saying } from "./live/saying.ts";
import { type Unset, unsetSecrets } from "./live/unset.ts";
import { watch } from "./live/watch.ts";
import { allOf } from "./pages.ts";
import { type Payload, type PayloadOptions, readPayload } from "./payload.ts";
import { placeWords } from "./place.ts";
import { definitionOf, filesOf, type Publishable, publish, workflowOf } from "./publish.ts";
import { note, sayJson } from "./terminal.ts";

export interface RunLiveOptions extends PayloadOptions {
  readonly data?: string;
  readonly port: number;
  readonly privateHost?: readonly string[];
  readonly trigger?: string;
  readonly envSecrets?: string;
  readonly json?: boolean;
}
type Said = Pick<Read, "diagnostics" | "texts">;

/** `woml run`: until a signal; invalid workflows end it before a platform is started. */
export async function live(paths: readonly string[], options: RunLiveOptions): Promise<ExitCode> {
  const payload = readPayload(options);
  const secrets = secretsIn(process.env, options.envSecrets);
  const read = await readWorkflows(paths);
  if (!told(read, options)) return EXIT.invalid;
  const definitions = read.workflows.flatMap((what) => definitionOf(what) ?? []);
  // What the platform alone can judge has triggers that are seen once it has.
  if (definitions.length === read.workflows.length) chosenOf(definitions.flatMap(manualOf), options.trigger);
  const folder = options.data ?? mkdtempSync(join(tmpdir(), "woml-run-"));
  try {
    note(`starting the platform on ${folder} …`);
    const { port, privateHost = [] } = options;
    const launched = await launch({ data: folder, port, privateHost });
    if (launched === null) return EXIT.ok;
    try {
      return await new Live(launched, options, folder).run(read.workflows, secrets, payload);
    } finally {
      note("stopping …");
      await launched.platform.stop();
    }
  } finally {
    if (options.data === undefined) rmSync(folder, { recursive: true, force: true });
  }
}

/** Says what is wrong; false when an error is among it. */
function told({ diagnostics, texts }: Said, { json }: RunLiveOptions): boolean {
  const isBad = hasError(diagnostics);
  if (json && isBad) sayJson(listed(diagnostics));
  else if (diagnostics.length > 0) note(explained(diagnostics, texts).join("\n\n"));
  return !isBad;
}

class Live {
  readonly #client: Client;
  readonly #signal: AbortSignal;
  readonly #graphql: string;
  readonly #options: RunLiveOptions;
  readonly #where: string;
  readonly #saying: Saying;

  constructor({ platform, signal }: Launched, options: RunLiveOptions, folder: string) {
    this.#client = openClient(platform.graphql, platform.key);
    this.#signal = signal;
    this.#graphql = platform.graphql;
    this.#options = options;
    this.#where = placeWords({ data: folder });
    this.#saying = options.json ? asJson : forPeople();
  }

  async run(workflows: readonly Publishable[], secrets: ReadonlyMap<string, string>, payload: Payload): Promise<ExitCode> {
    for (const [name, value] of secrets) await this.#client.setSecret(name, value);
    // Runs that an earlier use of the folder has left are not this one's; those that go on again are.
    const before = new Set((await allOf((page) => this.#client.runs(page))).filter(isOver).map(({ id }) => id));
    for (const what of workflows) if (!(await this.#published(what))) return EXIT.invalid;
    const ids = new Set(workflows.map(workflowOf));
    const triggers = (await allOf((page) => this.#client.triggers(page))).filter(({ workflow }) => ids.has(workflow));
    const unset = await unsetSecrets(
      this.#client,
      workflows.flatMap((what) => definitionOf(what) ?? []),
      triggers,
    );
    const stop = this.#keyboard(triggers, unset, payload);
    try {
      const counts = await watch({
        ...{ client: this.#client, workflows: ids, before, signal: this.#signal },
        heard: (run, event) => this.#saying.event(run, event),
        stands: (run) => this.#saying.stands(run, this.#where),
      });
      this.#saying.ended(counts);
      return EXIT.ok;
    } finally {
      stop();
    }
  }

  async #published(what: Publishable): Promise<boolean> {
    const { version, diagnostics } = await publish(this.#client, what, true);
    told({ diagnostics, texts: filesOf(what) }, this.#options);
    return version !== null;
  }

  /** Without a terminal nobody presses Enter: it runs until it is told to end. */
  #keyboard(triggers: readonly Trigger[], unset: readonly Unset[], payload: Payload): () => void {
    const manual = chosenOf(
      triggers.filter(({ kind }) => kind === "manual"),
      this.#options.trigger,
    );
    const isAsked = process.stdin.isTTY === true && manual.length > 0;
    this.#saying.ready(triggers, { graphql: this.#graphql, where: this.#where, isAsked, unset });
    if (!isAsked) return () => {};
    const start = async ({ workflow, id: trigger }: Pick<Trigger, "workflow" | "id">): Promise<void> => {
      await this.#client
        .startRun({ workflow, trigger, payload })
        .catch((error: unknown) => note(error instanceof Error ? error.message : String(error)));
    };
    return listen(manual, start, this.#signal);
  }
}

const isOver = ({ status }: RunSummary): boolean => status === "succeeded" || status === "failed" || status === "cancelled";

function manualOf({ workflow, triggers }: Definition): readonly Pick<Trigger, "workflow" | "id">[] {
  return triggers.filter(({ kind }) => kind === "manual").map(({ id }) => ({ workflow: workflow.id, id }));
}
