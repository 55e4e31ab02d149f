import { type Client, openClient } from "@woml/client";
import type { Command } from "commander";
import { Ending, EXIT, usage } from "./exit.ts";
import { fromHere } from "./path.ts";

/** Where the person said that the platform is. */
export interface PlaceOptions {
  readonly url?: string;
  readonly key?: string;
  readonly data?: string;
}

export const DATA = ".woml";
/** Free of the ports that development servers like. */
export const PORT = 7330;

export function addPlaceOptions(command: Command): Command {
  return command
    .option("--url <url>", "GraphQL address of the platform (or WOML_URL)")
    .option("--key <key>", "key to ask it with (or WOML_KEY)")
    .option("--data <dir>", `data folder of a platform on this machine (default ${DATA})`);
}

/** What opens a platform. */
interface Door {
  readonly url: string;
  readonly key: string;
}

/** `findPlace`, ready to be asked. */
export async function openPlace(options: PlaceOptions, as?: "tenant" | "admin"): Promise<Client> {
  const { url, key } = await findPlace(options, as);
  return openClient(url, key);
}

/**
 * The platform by --url and --key, by --data, by WOML_URL and WOML_KEY, or that of the default folder: the first of these that was given.
 * `as` says with which of a folder's keys to ask.
 */
export async function findPlace(options: PlaceOptions, as: "tenant" | "admin" = "tenant"): Promise<Door> {
  const given = options.url !== undefined || options.key !== undefined;
  if (given && options.data !== undefined) throw usage("--data finds the platform by its folder: give it alone, or --url and --key.");
  if (given) return named(options.url ?? process.env["WOML_URL"], options.key ?? process.env["WOML_KEY"]);
  const { WOML_URL: url, WOML_KEY: key } = process.env;
  // A key alone is refused: it would be another tenant's than the one that the default folder asks for.
  if (options.data === undefined && (url || key)) return named(url, key);
  const found = await localPlace(options.data ?? DATA);
  if (found) return { url: found.graphql, key: as === "admin" ? found.admin : found.key };
  const folder = options.data ?? DATA;
  const start = `Start one with: npm run woml -- up --data ${folder}`;
  const message = `No platform runs on ${folder}. ${start}, or say where it is with --url and --key.`;
  throw new Ending(EXIT.failed, "WOML_PLATFORM_NOT_FOUND", message);
}

/** What a command needs to find the same platform again, to be pasted behind it; no key is said. */
export function placeWords({ url, key, data }: PlaceOptions): string {
  const words = [
    ...(data === undefined ? [] : ["--data", quoted(data)]),
    ...(url === undefined ? [] : ["--url", quoted(url)]),
    ...(key === undefined ? [] : ["--key", "…"]),
  ];
  return words.map((word) => ` ${word}`).join("");
}

const quoted = (word: string): string => (/^[\w./:@%+=-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`);

function named(url: string | undefined, key: string | undefined): Door {
  if (!url) throw usage("A key alone does not find a platform: give --url (or WOML_URL) too.");
  if (!URL.canParse(url) || !/^https?:/.test(url)) throw usage(`${url} is not an http address.`);
  if (new URL(url).username || new URL(url).password) throw usage("The address holds a name or password: give the key alone.");
  if (!key) throw usage("An address alone opens nothing: give --key (or WOML_KEY) too.");
  if (!/^[!-~]+$/.test(key)) throw usage("The key holds characters that no key has, such as a line break.");
  return { url, key };
}

/** The tenant that is meant when none was named: the one whose key would be used. */
export async function ownTenant(options: PlaceOptions): Promise<string> {
  const { tenant } = await (await openPlace(options)).me();
  if (tenant) return tenant.id;
  throw usage("The administrator's key is no tenant's: say with --tenant whom.");
}

/** The platform that runs on a folder of this machine, with its keys; null when none does. */
export async function localPlace(folder: string): Promise<{ graphql: string; key: string; admin: string } | null> {
  const { readKeys, runningAt } = await import("@woml/platform/running");
  const data = fromHere(folder);
  const graphql = runningAt(data);
  const keys = graphql === null ? null : readKeys(data);
  return graphql !== null && keys ? { graphql, key: keys.key, admin: keys.admin } : null;
}
