import assert from "node:assert/strict";
import { test } from "node:test";
import { chain, openForFile, publishText, start, type Tenant } from "./opened.ts";

const opened = await openForFile();
const { player } = opened;
const DOCTOR = "{ doctor { isComplete findings { kind run tenant cause since advice } } }";

interface Diagnosis {
  readonly isComplete: boolean;
  readonly findings: readonly {
    readonly kind: string;
    readonly run: string;
    readonly tenant: string;
    readonly cause: string;
    readonly since: string | null;
    readonly advice: string;
  }[];
}
const examined = (who: Tenant): Promise<Diagnosis> => who.field("doctor", DOCTOR);

async function tenantWith(name: string): Promise<Tenant> {
  const tenant = await opened.tenant(name);
  await publishText(tenant, chain("w", { s: "return 1;" }));
  return tenant;
}
async function running(tenant: Tenant, over: Parameters<typeof player.admit>[2] = {}): Promise<string> {
  const { run } = await start(tenant, { workflow: "w" });
  await player.admit(run.id, "s", over);
  return run.id;
}

test("PC-34: doctor names runs with no possible next event, held ones and differing ones, with what to do; and of nobody else", async () => {
  const [one, two] = [await tenantWith("doctor-one"), await tenantWith("doctor-two")];
  assert.deepEqual(await examined(one), { isComplete: true, findings: [] });
  await running(one);
  assert.deepEqual(await examined(one), { isComplete: true, findings: [] });
  const motionless = await running(one, { nextDue: null, waitingFor: null });
  const held = await running(one);
  await player.hold(held, "claimed 6 times without moving");
  const { isComplete, findings } = await examined(one);
  const brief = findings.map(({ kind, run, tenant }) => [kind, run, tenant]);
  assert.deepEqual(
    [isComplete, brief],
    [
      true,
      [
        ["HELD", held, one.id],
        ["MOTIONLESS", motionless, one.id],
        ["DIFFERS", motionless, one.id],
      ],
    ],
  );
  const [first, second, third] = findings;
  assert.match(first?.cause ?? "", /claimed 6 times/);
  assert.match(first?.advice ?? "", /woml rebuild --run ID --free/);
  assert.ok(Math.abs(Date.parse(first?.since ?? "") - Date.now()) < 60_000);
  assert.match(second?.cause ?? "", /^it is running, and neither a time nor anybody's word will move it$/);
  assert.match(third?.cause ?? "", /^waitingFor: stored null.*nextDue: stored null/);
  assert.equal(third?.since, null);
  assert.deepEqual(await examined(two), { isComplete: true, findings: [] });
  const all = await examined(opened.admin);
  assert.deepEqual(
    all.findings.map(({ kind, tenant }) => [kind, tenant]),
    findings.map(({ kind, tenant }) => [kind, tenant]),
  );
});

test("more than a hundred of a kind are told of as such", async () => {
  const many = await tenantWith("doctor-many");
  for (let n = 0; n < 101; n++) await running(many, { nextDue: null, waitingFor: null });
  const { isComplete, findings } = await examined(many);
  const count = findings.filter(({ kind }) => kind === "MOTIONLESS").length;
  assert.deepEqual([isComplete, count], [false, 100]);
});
