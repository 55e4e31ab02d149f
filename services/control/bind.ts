// A definition names capabilities by ranges; what runs is one release of each, bound here for life: the highest that is approved, not revoked,
// granted to the tenant and in the range. A definition that comes bound must be bound to what the tenant could have got.
import type { Manifest } from "@woml/capability";
import type { Diagnostic } from "@woml/language";
import { type Definition, isOwn, type Use } from "@woml/model";
import type { Offers, ReleaseRow, TenantScope } from "@woml/prisma";
import { maxSatisfying, satisfies } from "semver";
import type { Places, Told } from "./place.ts";
import { scriptsOf } from "./scripts.ts";

export interface Bound {
  readonly definition: Definition;
  readonly diagnostics: readonly Diagnostic[];
}
type Scope = Pick<TenantScope, "offers" | "secrets">;

export async function bind(scope: Scope, definition: Definition, places: Places): Promise<Bound> {
  const { uses: all = [] } = definition;
  const uses = all.filter(({ capability }) => !isOwn(capability));
  const offers = await scope.offers([...new Set(uses.map(({ capability }) => capability))]);
  const chosen = new Map(uses.map((use) => [use.alias, choose(use, offers)]));
  const told = [...uses.flatMap((use) => refusedUse(use, chosen, places)), ...unknownCalls(definition, chosen, places)];
  const isSound = told.length === 0;
  const warned = isSound ? await unsetSecrets(scope, definition, chosen, places) : [];
  const bound = isSound && uses.length > 0 ? { ...definition, uses: all.map((use) => boundUse(use, chosen)) } : definition;
  return { definition: bound, diagnostics: [...told, ...warned] };
}

type Choice = { readonly release: ReleaseRow } | { readonly refused: Told };
type Choices = ReadonlyMap<string, Choice>;

function choose({ capability, range, bound }: Use, { releases, granted }: Offers): Choice {
  if (!granted.has(capability)) return { refused: notGranted(capability) };
  const offered = releases.filter((release) => release.capability === capability && satisfies(release.version, range));
  const version = bound?.version ?? maxSatisfying([...new Set(offered.map((release) => release.version))], range);
  const release = offered.find((one) => one.version === version && (bound === undefined || bound.release === one.digest));
  return release ? { release } : { refused: notFound(capability, range, releases, bound !== undefined) };
}

function notGranted(capability: string): Told {
  return {
    code: "WOML_CAPABILITY_NOT_GRANTED",
    message: `This tenant may not use the capability ${capability}.`,
    hint: `The platform's administrator grants it: woml plugins grant ${capability} --tenant …`,
  };
}

function notFound(capability: string, range: string, releases: readonly ReleaseRow[], isBound: boolean): Told {
  const versions = releases.filter((release) => release.capability === capability).map(({ version }) => version);
  const wanted = isBound ? "is the one that this definition is bound to" : `is in the range ${range}`;
  return {
    code: "WOML_CAPABILITY_NOT_FOUND",
    message: `No release of ${capability} that may be run ${wanted}.`,
    hint: versions.length > 0 ? `There are: ${versions.slice(0, 10).join(", ")}.` : "None has been approved yet.",
  };
}

function refusedUse({ alias }: Use, chosen: Choices, places: Places): readonly Diagnostic[] {
  const choice = chosen.get(alias);
  return choice && "refused" in choice ? [places.use(alias, choice.refused)] : [];
}

function boundUse(use: Use, chosen: Choices): Use {
  const { alias, capability, range } = use;
  if (isOwn(capability)) return use;
  const choice = chosen.get(alias);
  if (!choice || !("release" in choice)) throw new Error("a use without a release was bound");
  const { version, digest } = choice.release;
  return { alias, capability, range, bound: { version, release: digest } };
}

/** The store holds only manifests that were read when they were handed in. */
const manifestOf = (release: ReleaseRow): Manifest => JSON.parse(release.manifest);

function unknownCalls(definition: Definition, chosen: Choices, places: Places): readonly Diagnostic[] {
  const operations = new Map<string, readonly string[]>();
  for (const [alias, choice] of chosen) {
    if ("release" in choice) operations.set(alias, Object.keys(manifestOf(choice.release).operations));
  }
  return [...scriptsOf(definition)].flatMap((by) => {
    return (by.script.calls ?? []).flatMap((call) => {
      const [alias = "", operation = ""] = call.split(".");
      const known = operations.get(alias);
      if (known === undefined || known.includes(operation)) return [];
      const message = `${alias} has no operation ${operation}.`;
      return [places.call(by, call, { code: "WOML_OPERATION_UNKNOWN", message, hint: `It has: ${known.join(", ")}.` })];
    });
  });
}

/** Not an error: a secret may be set later, and until then the call fails, or the door lets nobody in, and says so. */
async function unsetSecrets(scope: Scope, definition: Definition, chosen: Choices, places: Places): Promise<readonly Diagnostic[]> {
  const named = [...scriptsOf(definition)].flatMap((by) => by.secrets.map(({ name, prop }) => ({ secret: name, prop, by })));
  const asked = [...chosen].flatMap(([alias, choice]) =>
    "release" in choice ? (manifestOf(choice.release).permissions.secrets ?? []).map(({ name }) => ({ secret: name, alias })) : [],
  );
  const doors = definition.triggers.flatMap((trigger) =>
    "secret" in trigger && trigger.secret !== undefined ? [{ trigger: trigger.id, secret: trigger.secret }] : [],
  );
  if (named.length + asked.length + doors.length === 0) return [];
  const set = new Set((await scope.secrets()).map(({ name }) => name));
  return [
    ...named
      .filter(({ secret }) => !set.has(secret))
      .map(({ by, prop, secret }) => places.secret(by, secret, unset(secret, prop === undefined ? "The script" : `The prop ${prop}`))),
    ...asked.filter(({ secret }) => !set.has(secret)).map(({ alias, secret }) => places.use(alias, unset(secret, "The plugin"))),
    ...doors
      .filter(({ secret }) => !set.has(secret))
      .map(({ trigger, secret }) => places.subject(`trigger:${trigger}`, unset(secret, `The trigger ${trigger}`))),
  ];
}

function unset(secret: string, who: string): Told {
  return {
    code: "WOML_SECRET_NOT_SET",
    severity: "warning",
    message: `${who} names the secret ${secret}, which is not set.`,
    hint: `Set it before a run needs it: woml secrets set ${secret}`,
  };
}
