// Each role's environment against the one table of settings: nothing missing, nothing else, secrets from Secrets alone, and every text one
// that the role takes.
import { isRole, makeSealKeys, namesOf, type Role, readSettings, SETTINGS } from "@woml/boot";
import { parse } from "yaml";
import { containersOf, type Env, type Manifest, named, type Pod, podsOf } from "./manifest.ts";

/** Sealed with it, nothing is opened by it; but it belongs to a pair that lies in a Secret. */
const FROM_SECRET: readonly string[] = ["WOML_SEAL_PUBLIC_KEY"];
const OPENS: Readonly<Record<string, { readonly says: string; readonly isSecret?: true }>> = SETTINGS;
const PAIR = makeSealKeys();
const TRUST = "NODE_EXTRA_CA_CERTS";
/** Any text of the kind: what is in the Secrets of a cluster is not known here. */
const STAND_INS: Readonly<Record<string, string>> = {
  WOML_DATABASE_URL: "postgresql://user:password@database:5432/woml",
  WOML_CONTROL_DATABASE_URL: "postgresql://woml_control:password@database:5432/woml",
  WOML_ENGINE_DATABASE_URL: "postgresql://woml_engine:password@database:5432/woml",
  WOML_REDIS_URL: "redis://redis:6379",
  WOML_SEAL_PUBLIC_KEY: PAIR.publicKey,
  WOML_SEAL_PRIVATE_KEY: PAIR.privateKey,
  OTEL_EXPORTER_OTLP_HEADERS: "authorization=word",
  WOML_PLUGIN_HOST_LINE_SECRET: "a secret of its own".replaceAll(" ", "-").padEnd(32, "-"),
};
const SECRET = "0123456789abcdef0123456789abcdef0123456789a";

export function unset(values: string, manifests: readonly Manifest[]): readonly string[] {
  return podsOf(manifests).flatMap((pod) => {
    const [container] = containersOf(pod);
    const extra = extraOf(values, pod.role);
    const env = (container?.env ?? []).filter(({ name }) => !extra.includes(name));
    return [...twice(pod), ...(isRole(pod.role) ? ofRole(pod.role, env) : ofSmoke(env))].map((what) => `${named(pod.of)} ${what}`);
  });
}

/** Settings that a role's pod has none of: none where every value is given. */
export function leftOut(role: Role, manifests: readonly Manifest[]): readonly string[] {
  const pod = podsOf(manifests).find((one) => one.role === role);
  const given = (pod?.spec.containers[0]?.env ?? []).map(({ name }) => name);
  return namesOf(role).filter((name) => !given.includes(name));
}

function ofRole(role: Role, env: readonly Env[]): readonly string[] {
  const own: readonly string[] = namesOf(role);
  const strangers = env.filter(({ name }) => !own.includes(name) && !(name === TRUST && role !== "sandbox"));
  const open = env.filter((one) => isSecret(one.name) !== (one.valueFrom?.secretKeyRef !== undefined));
  return [
    ...strangers.map(({ name }) => `has ${name}, which is no setting of ${role}`),
    ...open.map(({ name }) => (isSecret(name) ? `has ${name} in plain text` : `takes ${name} from elsewhere`)),
    ...refused(role, env),
  ];
}

function refused(role: Role, env: readonly Env[]): readonly string[] {
  const texts = Object.fromEntries(env.map(({ name, value }) => [name, value ?? STAND_INS[name] ?? SECRET]));
  try {
    readSettings(role, { env: texts, readFile: () => "" });
    return [];
  } catch (error) {
    return [error instanceof Error ? error.message : String(error)];
  }
}

/** It has a key and nothing else. */
function ofSmoke(env: readonly Env[]): readonly string[] {
  const [one, ...others] = env;
  return one?.name === "WOML_KEY" && one.valueFrom?.secretKeyRef !== undefined && others.length === 0
    ? []
    : ["has more or less than a key"];
}

function twice(pod: Pod): readonly string[] {
  return containersOf(pod).flatMap(({ env = [] }) => {
    const names = env.map(({ name }) => name);
    return names.filter((name, at) => names.indexOf(name) !== at).map((name) => `has ${name} twice`);
  });
}

function isSecret(name: string): boolean {
  if (FROM_SECRET.includes(name)) return true;
  return OPENS[name]?.isSecret === true;
}

/** What the values add to a role's environment. */
function extraOf(values: string, role: string): readonly string[] {
  const given: Readonly<Record<string, { readonly extraEnv?: readonly { readonly name: string }[] } | null>> | null = parse(values);
  return (given?.[role === "plugin-host" ? "pluginHost" : role]?.extraEnv ?? []).map(({ name }) => name);
}
