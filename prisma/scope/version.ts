import type { Json } from "@woml/model";
import type { TenantId } from "@woml/run";
import { NOW, type Transaction } from "../client.ts";
import type { NewVersion, Page, PageAsk, TenantScope, VersionHead, VersionRow } from "../control-store.ts";
import { storable } from "../storable.ts";
import { cut } from "./page.ts";

interface Stored {
  readonly hash: string;
  readonly workflow: string;
  readonly definition: string;
  readonly source: string | null;
  readonly source_map: string | null;
  readonly created_at: bigint;
}
const SCHEMA_VERSION = 1;
type Versions = Pick<TenantScope, "workflow" | "workflows" | "version" | "versionsByHash" | "intact" | "versions" | "modules" | "publish">;

export function versions(tx: Transaction, tenant: TenantId, wrote: () => void): Versions {
  const read = async (hashes: readonly string[]): Promise<readonly VersionRow[]> => {
    if (hashes.length === 0) return [];
    const rows = await tx.$queryRaw<Stored[]>`SELECT hash, workflow, definition::text, source::text, source_map::text, created_at
      FROM definition_version WHERE tenant = ${tenant}::uuid AND hash = ANY(${hashes}::text[])`;
    return rows.map(shown);
  };
  return {
    workflow: (id) => tx.workflow.findUnique({ where: { tenant_id: { tenant, id } }, select: { id: true, active: true } }),
    workflows: async ({ first, after }) => {
      const where = { tenant, ...(after === null ? {} : { id: { gt: after } }) };
      const select = { id: true, active: true };
      return cut(await tx.workflow.findMany({ where, select, orderBy: { id: "asc" }, take: first + 1 }), first);
    },
    version: async (hash) => (await read([hash]))[0] ?? null,
    versionsByHash: async (hashes) => new Map((await read(hashes)).map((row) => [row.hash, row])),
    intact: async (hashes) => {
      const rows = await tx.$queryRaw<{ hash: string }[]>`SELECT hash FROM definition_version
        WHERE tenant = ${tenant}::uuid AND hash = ANY(${hashes}::text[])
          AND hash = 'sha256:' || encode(sha256(convert_to(definition::text, 'UTF8')), 'hex')`;
      return new Set(rows.map(({ hash }) => hash));
    },
    versions: (workflow, ask) => list(tx, { tenant, workflow }, ask),
    modules: async (digests) => {
      const rows = await tx.$queryRaw<{ digest: string; bytes: number }[]>`SELECT digest, octet_length(text) AS bytes FROM module
        WHERE tenant = ${tenant}::uuid AND digest = ANY(${digests}::text[])`;
      return new Map(rows.map(({ digest, bytes }) => [digest, bytes]));
    },
    publish: (version) => publish(tx, { tenant, version, wrote }),
  };
}

async function list(
  tx: Transaction,
  of: { readonly tenant: TenantId; readonly workflow: string },
  ask: PageAsk,
): Promise<Page<VersionHead> | null> {
  const last = ask.after === null ? undefined : await tx.definitionVersion.findFirst({ where: { ...of, hash: ask.after } });
  if (last === null) return null;
  const older = last && [{ createdAt: { lt: last.createdAt } }, { createdAt: last.createdAt, hash: { lt: last.hash } }];
  const rows = await tx.definitionVersion.findMany({
    where: { ...of, ...(older ? { OR: older } : {}) },
    select: { hash: true, workflow: true, createdAt: true },
    orderBy: [{ createdAt: "desc" }, { hash: "desc" }],
    take: ask.first + 1,
  });
  return cut(
    rows.map((row) => ({ ...row, createdAt: Number(row.createdAt) })),
    ask.first,
  );
}

interface Publishing {
  readonly tenant: TenantId;
  readonly version: NewVersion;
  readonly wrote: () => void;
}

/** The definition goes in as the text that was hashed. What stands already under the hash is left as it is. */
async function publish(tx: Transaction, { tenant, version, wrote }: Publishing): Promise<{ readonly created: boolean }> {
  const { workflow, hash, definition, modules = [] } = version;
  wrote();
  await tx.$executeRaw`INSERT INTO workflow (tenant, id) VALUES (${tenant}::uuid, ${workflow}) ON CONFLICT DO NOTHING`;
  // In one order, so that two that publish the same wait for each other and do not both stop.
  for (const { digest, text } of modules.toSorted((a, b) => (a.digest < b.digest ? -1 : 1))) {
    wrote();
    await tx.$executeRaw`INSERT INTO module (tenant, digest, text) VALUES (${tenant}::uuid, ${digest}, ${text}) ON CONFLICT DO NOTHING`;
  }
  wrote();
  const created = await tx.$executeRaw`INSERT INTO definition_version
      (tenant, hash, workflow, schema_version, definition, source, source_map, created_at)
    VALUES (${tenant}::uuid, ${hash}, ${workflow}, ${SCHEMA_VERSION}, ${definition}::json, ${storable(version.source)}::json,
      ${storable(version.sourceMap)}::json, ${NOW})
    ON CONFLICT (tenant, hash) DO NOTHING`;
  return { created: created > 0 };
}

function shown({ source, source_map, created_at, ...rest }: Stored): VersionRow {
  return { ...rest, source: parse(source), sourceMap: parse(source_map), createdAt: Number(created_at) };
}

const parse = (text: string | null): Json => (text === null ? null : JSON.parse(text));
