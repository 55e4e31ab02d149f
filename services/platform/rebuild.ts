// Makes what is stored beside the logs of runs anew from these, in the database of a platform that may be running.
import { makeSealKeys, readSettings, type Sources } from "@woml/boot";
import { unavailable } from "@woml/prisma";
import { type Besides, type RebuildOptions, type RebuiltRun, rebuild } from "@woml/prisma/rebuild";
import { databaseAt } from "./connection.ts";
import { Refusal } from "./refusal.ts";

export type { Besides, RebuiltRun };
export type Wanted = Omit<RebuildOptions, "setRole">;
type Told = (one: RebuiltRun) => void;

/** Of the platform that runs on a folder of this machine. */
export async function rebuildFolder(folder: string, wanted: Wanted, told: Told): Promise<Besides> {
  const url = databaseAt(folder);
  if (url === null) throw new Refusal("WOML_DATABASE_UNAVAILABLE", `No platform runs on ${folder}: start it, and its database with it.`);
  return rebuild(url, { ...wanted, setRole: true }, told).catch(coded);
}

/** Of the database that WOML_DATABASE_URL names, as the engine's role or a user that may take it (WOML_DATABASE_SET_ROLE). */
export async function rebuildDatabase(sources: Pick<Sources, "env" | "readFile">, wanted: Wanted, told: Told): Promise<Besides> {
  // Control's settings hold the two that are asked for, and but one more, which seals nothing here.
  const env = { ...sources.env, WOML_SEAL_PUBLIC_KEY: makeSealKeys().publicKey };
  const { WOML_DATABASE_URL: url, WOML_DATABASE_SET_ROLE: setRole } = readSettings("control", { ...sources, env });
  return rebuild(url, { ...wanted, setRole }, told).catch(coded);
}

function coded(error: unknown): never {
  throw unavailable(error);
}
