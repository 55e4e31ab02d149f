import type { RunView } from "@woml/run";
import { type AccessClient, openAccess } from "./access.ts";
import { type AgainClient, openAgain } from "./again.ts";
import { connection, type Edges, lowered } from "./answer.ts";
import { type DeliveryClient, openDeliveries } from "./deliveries.ts";
import { openField } from "./field.ts";
import { type LanesClient, openLanes } from "./lanes.ts";
import { openPlugins, type PluginClient } from "./plugins.ts";
import * as queries from "./queries.ts";
import { type EventsAfter, readEvents, readRun } from "./run.ts";
import { openSettings, type SettingsClient } from "./settings.ts";
import { openSignals, type SignalsClient } from "./signals.ts";
import { openTransport } from "./transport.ts";
import { openTriggers, type TriggersClient } from "./triggers.ts";
import type {
  Diagnosis,
  Diagnostic,
  Me,
  Page,
  PageAsk,
  Published,
  PublishInput,
  ResolveApprovalInput,
  ResolveUnknownInput,
  RunSummary,
  RunsAsk,
  SourceFile,
  Standing,
  StartRunInput,
  Verification,
} from "./types.ts";

type Json = RunView["payload"];

/** What a program can ask of a platform with one key. Every call rejects with a ClientError when it is refused. */
export interface Client
  extends AgainClient,
    PluginClient,
    SettingsClient,
    AccessClient,
    DeliveryClient,
    TriggersClient,
    LanesClient,
    SignalsClient {
  me(): Promise<Me>;
  check(files: readonly SourceFile[]): Promise<readonly Diagnostic[]>;
  publish(input: PublishInput): Promise<Published>;
  startRun(input: StartRunInput): Promise<{ readonly run: RunSummary; readonly duplicate: boolean }>;
  /** The whole view with every event; null when there is no such run. */
  run(id: string): Promise<RunView | null>;
  /** For whoever follows a run as it goes: what came behind a cursor, null for its first event. */
  eventsAfter(id: string, after: string | null): Promise<EventsAfter | null>;
  /** The cheap question for whoever waits for a run's end. */
  summary(id: string): Promise<RunSummary | null>;
  runs(ask?: RunsAsk): Promise<Page<RunSummary>>;
  cancelRun(id: string): Promise<RunSummary>;
  /** null when there is no such run. */
  standing(id: string): Promise<Standing | null>;
  resolveUnknown(input: ResolveUnknownInput): Promise<RunSummary>;
  resolveApproval(input: ResolveApprovalInput): Promise<RunSummary>;
  /** The definition of a version by its id; null when there is no such version. */
  definition(version: string): Promise<Json | null>;
  verify(ask?: PageAsk): Promise<Page<Verification>>;
  /** What somebody should look at; times are ISO 8601. */
  doctor(): Promise<Diagnosis>;
}

/** `url` is the GraphQL endpoint, such as `http://127.0.0.1:7330/graphql`. Opens no connection before it is asked something. */
export function openClient(url: string, key: string): Client {
  const ask = openTransport(url, key);
  const field = openField(ask);
  const summarised = (run: RunSummary | null): RunSummary | null => (run === null ? null : lowered(run));
  return {
    me: () => field("me", queries.ME, {}),
    check: (files) => field("check", queries.CHECK, { files }),
    publish: (input) => field("publish", queries.PUBLISH, { input }),
    startRun: async (input) => {
      const started = await field<{ run: RunSummary; duplicate: boolean }>("startRun", queries.START_RUN, { input });
      return { ...started, run: lowered(started.run) };
    },
    run: (id) => readRun(ask, id),
    eventsAfter: (id, after) => readEvents(ask, id, after),
    summary: async (id) => summarised(await field<RunSummary | null>("run", queries.RUN_SUMMARY, { id })),
    runs: async (wanted = {}) => {
      const status = wanted.status?.map((word) => word.toUpperCase());
      const page = connection(await field<Edges<RunSummary>>("runs", queries.RUNS, { ...wanted, status }));
      return { ...page, items: page.items.map(lowered) };
    },
    cancelRun: async (run) => lowered((await field<{ run: RunSummary }>("cancelRun", queries.CANCEL_RUN, { input: { run } })).run),
    standing: (id) => field("run", queries.STANDING, { id }),
    resolveUnknown: async ({ outcome, ...input }) => {
      const resolved = { ...input, outcome: outcome.toUpperCase() };
      return lowered((await field<{ run: RunSummary }>("resolveUnknown", queries.RESOLVE_UNKNOWN, { input: resolved })).run);
    },
    definition: async (id) => (await field<{ definition: Json } | null>("version", queries.DEFINITION, { id }))?.definition ?? null,
    ...openAgain(field),
    resolveApproval: async ({ decision, ...input }) => {
      const decided = { ...input, decision: decision.toUpperCase() };
      return lowered((await field<{ run: RunSummary }>("resolveApproval", queries.RESOLVE_APPROVAL, { input: decided })).run);
    },
    ...openPlugins(field),
    ...openSettings(field),
    ...openAccess(field),
    ...openTriggers(field),
    ...openLanes(field),
    ...openDeliveries(field),
    ...openSignals(field),
    doctor: () => field("doctor", queries.DOCTOR, {}),
    verify: async (wanted = {}) => connection(await field<Edges<Verification>>("verify", queries.VERIFY, { ...wanted })),
  };
}
