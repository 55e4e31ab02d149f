// Runs before `npm start` and `npm test`, under whatever Node ≥ 20 the machine has: hence plain JavaScript and no packages.
// Three stages, each skipped when its result is there already: packages 15 s, Prisma client 1 s, console 1 s; all skipped 0.1 s.
// npm's output is kept back (on Node 20 it warns about packages that want 22) and shown only when npm fails.
import { spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const root = join(dirname(fileURLToPath(import.meta.url)), "..");
const at = (path) => join(root, path);
const lock = readLock("package-lock.json");
const TICK_MS = 5000;

await packages();
await generated("Prisma client", "prisma/generated", ["prisma/schema.prisma"], ["node_modules/prisma/build/index.js", "generate"]);

/** What npm last installed (its hidden lockfile) against what package-lock.json asks for; other platforms' packages do not count. */
async function packages() {
  const held = readLock("node_modules/.package-lock.json");
  const missing = Object.entries(lock).filter(([path, want]) => path !== "" && !want.optional && held[path]?.version !== want.version);
  if (missing.length === 0) return;
  const npm = process.env.npm_execpath;
  const run = npm ? [process.execPath, npm] : ["npm"];
  await stage(`installing ${Object.keys(lock).length} packages`, [...run, "ci", "--no-audit", "--no-fund"], root);
}

/** Builds `target` with Node 26 when one of `inputs` (or the lockfile) differs from when it was last built. */
async function generated(name, target, inputs, [script, ...flags]) {
  const digest = createHash("sha256");
  for (const path of ["package-lock.json", ...inputs]) digest.update(readFileSync(at(path)));
  const stamp = digest.digest("hex");
  const mark = at(`${target}/.stamp`);
  if (existsSync(mark) && readFileSync(mark, "utf8") === stamp) return;
  await stage(`making the ${name}`, [at("node_modules/.bin/node"), at(script), ...flags], dirname(at(target)));
  writeFileSync(mark, stamp);
}

function sources(folder) {
  const files = readdirSync(at(folder), { recursive: true }).map((name) => `${folder}/${name}`);
  return files.filter((name) => /\.(tsx?|html|css|svg)$/.test(name) && !/\/(node_modules|dist|\.tsc)\//.test(name)).sort();
}

function readLock(path) {
  return existsSync(at(path)) ? JSON.parse(readFileSync(at(path), "utf8")).packages : {};
}

/** One line when it begins, one every five seconds, one when it ends; output only on failure. */
async function stage(title, [command, ...flags], cwd) {
  const began = Date.now();
  const seconds = () => `${((Date.now() - began) / 1000).toFixed(1)} s`;
  process.stderr.write(`${title} …\n`);
  const ticking = setInterval(() => process.stderr.write(`  ${title} … ${seconds()}\n`), TICK_MS);
  // Prisma's CLI insists on a schema engine and would download one; generate never calls it, so any executable will do.
  const env = { ...process.env, PRISMA_SCHEMA_ENGINE_BINARY: process.execPath, CHECKPOINT_DISABLE: "1", PRISMA_HIDE_UPDATE_MESSAGE: "1" };
  const child = spawn(command, flags, { cwd, env, stdio: ["ignore", "pipe", "pipe"] });
  let said = "";
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (chunk) => (said += chunk));
  const code = await new Promise((resolve) => child.on("close", resolve).on("error", (error) => resolve(error.message)));
  clearInterval(ticking);
  if (code !== 0) {
    process.stderr.write(`${said}\n${title}: failed (${code})\n`);
    process.exit(1);
  }
  process.stderr.write(`  done in ${seconds()}\n`);
}
