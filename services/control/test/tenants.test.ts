import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { test } from "node:test";
import { asTenantId, showRunId } from "@woml/run";
import { type GraphQLArgument, getNamedType, isInputObjectType, isObjectType } from "graphql";
import { mintRunId, mintUuid } from "../ids.ts";
import { openSchema } from "../schema.ts";
import { SCOPES } from "../scopes.ts";
import { chain, openForFile, publishText, start, type Tenant } from "./opened.ts";

const opened = await openForFile();
const { player } = opened;

type Kind = "workflow" | "version" | "run" | "trigger" | "delivery";

/** Every argument of a tenant's field that takes an id, and a query that passes it. A field that is not here makes the first test fail. */
const PROBES: Readonly<Record<string, { readonly kind: Kind; readonly query: string }>> = {
  "Query.workflow.id": {
    kind: "workflow",
    query: "query ($id: ID!) { workflow(id: $id) { id active { id source } versions { edges { node { id } } } } }",
  },
  "Query.version.id": { kind: "version", query: "query ($id: ID!) { version(id: $id) { id definition source } }" },
  "Query.run.id": {
    kind: "run",
    query: `query ($id: ID!) { run(id: $id) { id payload result steps { edges { node { id } } } operations { edges { node { id } } }
      choices { edges { node { id } } } groups { edges { node { id } } } hooks { edges { node { id } } } warnings { edges { node { code } } }
      forks { id } loops { id } approvals { id } events { edges { node { data } } } } }`,
  },
  "Query.runs.workflow": { kind: "workflow", query: "query ($id: ID!) { runs(workflow: $id) { edges { node { id } } } }" },
  "Mutation.startRun.input.workflow": {
    kind: "workflow",
    query: "mutation ($id: ID!) { startRun(input: { workflow: $id }) { run { id } } }",
  },
  "Mutation.startRun.input.version": {
    kind: "version",
    query: 'mutation ($id: ID!) { startRun(input: { workflow: "shared", version: $id }) { run { id } } }',
  },
  "Mutation.resolveUnknown.input.run": {
    kind: "run",
    query:
      'mutation ($id: ID!) { resolveUnknown(input: { run: $id, operation: "s:1:1", expectedHead: 1, outcome: RETRY }) { run { id } } }',
  },
  "Mutation.resumeRun.input.run": {
    kind: "run",
    query: 'mutation ($id: ID!) { resumeRun(input: { run: $id, from: "s" }) { run { id } } }',
  },
  "Mutation.rerun.input.run": { kind: "run", query: "mutation ($id: ID!) { rerun(input: { run: $id }) { run { id } } }" },
  "Mutation.resolveApproval.input.run": {
    kind: "run",
    query: 'mutation ($id: ID!) { resolveApproval(input: { run: $id, approval: "a", decision: APPROVED }) { run { id } } }',
  },
  "Query.triggers.workflow": { kind: "workflow", query: "query ($id: ID!) { triggers(workflow: $id) { edges { node { id } } } }" },
  "Query.lanes.workflow": { kind: "workflow", query: "query ($id: ID!) { lanes(workflow: $id) { active } }" },
  "Query.deliveries.workflow": {
    kind: "workflow",
    query: "query ($id: ID!) { deliveries(workflow: $id) { edges { node { id } } } }",
  },
  "Query.deliveries.trigger": {
    kind: "trigger",
    query: 'query ($id: ID!) { deliveries(workflow: "shared", trigger: $id) { edges { node { id } } } }',
  },
  "Mutation.startRun.input.trigger": {
    kind: "trigger",
    query: 'mutation ($id: ID!) { startRun(input: { workflow: "shared", trigger: $id }) { run { status } } }',
  },
  "Mutation.setTrigger.input.workflow": {
    kind: "workflow",
    query: 'mutation ($id: ID!) { setTrigger(input: { workflow: $id, trigger: "go", setting: null }) { trigger { id } } }',
  },
  "Mutation.setTrigger.input.trigger": {
    kind: "trigger",
    query: 'mutation ($id: ID!) { setTrigger(input: { workflow: "shared", trigger: $id, setting: null }) { trigger { id } } }',
  },
  "Mutation.redeliver.input.delivery": {
    kind: "delivery",
    query: "mutation ($id: ID!) { redeliver(input: { delivery: $id }) { run { status } } }",
  },
  "Mutation.activate.input.version": {
    kind: "version",
    query: "mutation ($id: ID!) { activate(input: { version: $id }) { workflow { id } } }",
  },
  "Mutation.cancelRun.input.run": { kind: "run", query: "mutation ($id: ID!) { cancelRun(input: { run: $id }) { run { id } } }" },
  // Last: the others need it.
  "Mutation.deactivate.input.workflow": {
    kind: "workflow",
    query: "mutation ($id: ID!) { deactivate(input: { workflow: $id }) { workflow { id } } }",
  },
};
/** What it answers to an id of one's own may be what it answers to any. */
const ALIKE = new Set(["Mutation.startRun.input.version", "Query.deliveries.trigger"]);

function idArguments(): readonly string[] {
  const schema = openSchema();
  const types = Object.values(schema.getTypeMap()).filter(({ name }) => !name.startsWith("__"));
  const under = (path: string, argument: GraphQLArgument): readonly string[] => {
    const type = getNamedType(argument.type);
    if (type.name === "ID") return [path];
    if (!isInputObjectType(type)) return [];
    return Object.values(type.getFields())
      .filter((field) => getNamedType(field.type).name === "ID")
      .map((field) => `${path}.${field.name}`);
  };
  return types.flatMap((type) =>
    isObjectType(type)
      ? Object.values(type.getFields())
          .filter((field) => SCOPES[type.name]?.[field.name] !== "admin")
          .flatMap((field) => field.args.flatMap((argument) => under(`${type.name}.${field.name}.${argument.name}`, argument)))
      : [],
  );
}

const UNKNOWN = {
  workflow: (): string => `w-${randomUUID().replace(/^\d*/, "x").replaceAll("-", "")}`,
  version: (): string => `ver_${randomUUID().replaceAll("-", "").repeat(2)}`,
  run: (): string => showRunId(mintRunId()),
  trigger: (): string => `t${randomUUID().replaceAll("-", "")}`,
  delivery: mintUuid,
};

async function furnished(name: string): Promise<{ tenant: Tenant; ids: Record<Kind, readonly string[]> }> {
  const tenant = await opened.tenant(name);
  await publishText(tenant, chain("shared", { s: "return 1;" }));
  const workflow = `only-${name}`;
  const trigger = `go${name}`;
  const version = await publishText(tenant, chain(workflow, { s: `return "${name}";` }));
  await publishText(tenant, chain("shared", { s: "return 1;" }).replace('id="go"', `id="${trigger}"`));
  const runs = [];
  for (let i = 0; i < 3; i++) runs.push((await start(tenant, { workflow, payload: { of: name } })).run.id);
  await player.admit(runs[0] ?? "", "s");
  await player.admit(runs[1] ?? "", "s");
  await player.finish(runs[1] ?? "", "s", { of: name });
  const delivery = mintUuid();
  const came = { workflow: "shared", trigger, kind: "webhook", outcome: "rejected", payload: { of: name } } as const;
  await opened.store.withTenant(asTenantId(tenant.id), (scope) => scope.deliver({ id: delivery, ...came }));
  return { tenant, ids: { workflow: [workflow], version: [version], run: runs, trigger: [trigger], delivery: [delivery] } };
}

test("there is a probe for every argument that takes an id", () => {
  assert.deepEqual(Object.keys(PROBES).sort(), idArguments().toSorted());
});

test("another tenant's id is answered exactly like one that nobody has; the owner's is not", async () => {
  const tenants = [await furnished("one"), await furnished("two")];
  for (const [at, { tenant }] of tenants.entries()) {
    const others = tenants[1 - at]?.ids ?? { workflow: [], version: [], run: [], trigger: [], delivery: [] };
    for (const [path, { kind, query }] of Object.entries(PROBES)) {
      const plain = async (id: string): Promise<string> => {
        const { status, data, codes, errors } = await tenant.ask(query, { id });
        return JSON.stringify({ status, data, codes, messages: errors.map(({ message }) => message) }).replaceAll(id, "ID");
      };
      const unknown = await plain(UNKNOWN[kind]());
      for (const id of others[kind]) assert.equal(await plain(id), unknown, `${path} ${id}`);
      for (const id of tenants[at]?.ids[kind] ?? []) if (!ALIKE.has(path)) assert.notEqual(await plain(id), unknown, path);
    }
  }
});

test("lists hold nothing of others, and a cursor of another's leads nowhere", async () => {
  const [one, two] = [await furnished("three"), await furnished("four")];
  const all =
    "query ($run: String, $workflow: String, $verified: String) { runs(first: 100, after: $run) { edges { cursor node { id payload result } } } " +
    "workflows(first: 100, after: $workflow) { edges { cursor node { id } } } verify(after: $verified) { edges { cursor node { run tenant } } } }";
  const { data } = await one.tenant.ask(all);
  const text = JSON.stringify(data);
  for (const id of [...two.ids.run, ...two.ids.workflow, two.tenant.id]) assert.equal(text.includes(id), false, id);
  assert.ok(one.ids.run.slice(0, 2).every((id) => text.includes(id)));
  const { runs, workflows, verify } = data as unknown as Record<string, { edges: readonly { cursor: string }[] }>;
  const cursors = { run: runs?.edges[0]?.cursor, workflow: workflows?.edges[0]?.cursor, verified: verify?.edges[0]?.cursor };
  const stranger = JSON.stringify((await two.tenant.ask(all, cursors)).data);
  for (const id of [...one.ids.run, ...one.ids.workflow, one.tenant.id]) assert.equal(stranger.includes(id), false, id);
});

test("the same content in two tenants is two versions of the same id, each seen by its own", async () => {
  const [one, two] = [await opened.tenant("five"), await opened.tenant("six")];
  const text = chain("same", { s: "return 1;" });
  const version = await publishText(one, text);
  const query = "query ($id: ID!) { version(id: $id) { id } }";
  assert.equal(await two.field("version", query, { id: version }), null);
  assert.equal(await publishText(two, text), version);
  assert.deepEqual(await two.field("version", query, { id: version }), { id: version });
});
