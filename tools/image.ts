// node tools/image.ts FOLDER: puts into FOLDER all that the image holds under /app, and says what that is as one JSON line. Runs as a step
// of the Dockerfile. Packages that are here already in the versions of package-lock.json are taken as they are, and so is Prisma's client;
// otherwise npm and Prisma make them. WOML_NODE is where the image has its Node.
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { chmodSync, copyFileSync, existsSync, mkdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import { type Closure, closureOf, type Lock } from "./image/closure.ts";
import { brokenImports, filesOfPackage, filesOfRoom } from "./image/files.ts";

const ROOT = resolve(import.meta.dirname, "..");
/** The command line reaches every role. */
const ENTRY = "sdk/cli";
const CLIENT = "prisma/generated";
const CLIENT_INPUTS = ["package-lock.json", "prisma/schema.prisma"];
const NODE = process.env["WOML_NODE"] ?? "/usr/local/bin/node";
const MIB = 1_024 * 1_024;

function main(folder: string): void {
  const closure = closureOf(lockAt("package-lock.json"), ENTRY);
  if (existsSync(folder)) throw new Error(`${folder} is there already`);
  if (!arePresent(closure)) install();
  if (!isClientPresent()) makeClient();
  const files = [
    ...["LICENSE", ...closure.rooms.flatMap((room) => filesOfRoom(ROOT, room).map((file) => `${room}/${file}`))],
    ...Object.keys(closure.packages).flatMap((one) => filesOfPackage(ROOT, one).map((file) => `${one}/${file}`)),
  ];
  const broken = brokenImports(ROOT, files);
  if (broken.length > 0) throw new Error(`The image would lack files: ${broken.join("; ")}`);
  for (const file of files) copy(file, folder);
  for (const [link, target] of Object.entries(closure.links)) symlink(target, join(folder, link), folder);
  writeCommand(folder);
  const bytes = files.reduce((sum, file) => sum + statSync(join(folder, file)).size, 0);
  const { rooms, packages } = closure;
  const facts = { rooms, packages: Object.keys(packages).length, files: files.length, megabytes: Number((bytes / MIB).toFixed(1)) };
  process.stdout.write(`${JSON.stringify(facts)}\n`);
}

function lockAt(path: string): Lock {
  const file = join(ROOT, path);
  return existsSync(file) ? JSON.parse(readFileSync(file, "utf8")).packages : {};
}

function arePresent({ packages }: Closure): boolean {
  const held = lockAt("node_modules/.package-lock.json");
  return Object.entries(packages).every(([folder, version]) => held[folder]?.version === version && existsSync(join(ROOT, folder)));
}

/** No package's own script is run, and nothing optional is taken: the image has its Node, and needs no PostgreSQL. */
function install(): void {
  run("npm", ["ci", "--ignore-scripts", "--omit=optional", "--no-audit", "--no-fund", "--loglevel=error"], ROOT);
}

function isClientPresent(): boolean {
  const mark = join(ROOT, CLIENT, ".stamp");
  return existsSync(mark) && readFileSync(mark, "utf8") === digest();
}

/** Prisma's CLI insists on a schema engine and would download one; generate never calls it, so any executable will do. */
function makeClient(): void {
  const env = { PRISMA_SCHEMA_ENGINE_BINARY: process.execPath, CHECKPOINT_DISABLE: "1", PRISMA_HIDE_UPDATE_MESSAGE: "1" };
  run(process.execPath, [join(ROOT, "node_modules/prisma/build/index.js"), "generate"], dirname(join(ROOT, CLIENT)), env);
  writeFileSync(join(ROOT, CLIENT, ".stamp"), digest());
}

function digest(): string {
  const sum = createHash("sha256");
  for (const path of CLIENT_INPUTS) sum.update(readFileSync(join(ROOT, path)));
  return sum.digest("hex");
}

function run(command: string, args: readonly string[], cwd: string, env: Readonly<Record<string, string>> = {}): void {
  execFileSync(command, args, { cwd, env: { ...process.env, ...env }, stdio: ["ignore", 2, 2] });
}

/** Readable for every user, whatever this machine's umask made of the checkout. */
function copy(file: string, folder: string): void {
  const target = join(folder, file);
  mkdirSync(dirname(target), { recursive: true, mode: 0o755 });
  copyFileSync(join(ROOT, file), target);
  chmodSync(target, 0o644);
}

/** Workspaces stay links: Node refuses TypeScript whose real path is inside node_modules. */
function symlink(target: string, link: string, folder: string): void {
  mkdirSync(dirname(link), { recursive: true, mode: 0o755 });
  symlinkSync(relative(dirname(link), join(folder, target)), link);
}

/** `woml`, with no shell and no env between it and Node. Its real name ends in .mjs, so that Node knows what it is. */
function writeCommand(folder: string): void {
  const command = join(folder, "bin", "woml.mjs");
  mkdirSync(dirname(command), { recursive: true, mode: 0o755 });
  writeFileSync(command, `#!${NODE} --disable-warning=ExperimentalWarning\nimport "../${ENTRY}/main.ts";\n`);
  chmodSync(command, 0o755);
  symlinkSync("woml.mjs", join(folder, "bin", "woml"));
}

const [folder] = process.argv.slice(2);
if (folder === undefined) throw new Error("node tools/image.ts FOLDER");
main(resolve(folder));
