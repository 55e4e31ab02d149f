// node tools/pack.ts sdk/capability FOLDER: a workspace as a tarball that an outside project can install, its path on stdout.
// JavaScript and declarations by tsc; Node refuses TypeScript inside node_modules. Declarations keep `.ts` in their imports: they resolve.
import { execFileSync } from "node:child_process";
import { copyFileSync, globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";

const ROOT = resolve(import.meta.dirname, "..");
const EMIT = ["--composite", "false", "--incremental", "false", "--emitDeclarationOnly", "false", "--rewriteRelativeImportExtensions"];

function pack(room: string, folder: string): string {
  const dist = mkdtempSync(join(tmpdir(), "woml-pack-"));
  try {
    execFileSync(process.execPath, [join(ROOT, "node_modules/typescript/bin/tsc"), "-p", join(ROOT, room), "--outDir", dist, ...EMIT], {
      stdio: ["ignore", 2, 2],
    });
    for (const file of globSync("*.md", { cwd: join(ROOT, room) })) copyFileSync(join(ROOT, room, file), join(dist, file));
    copyFileSync(join(ROOT, "LICENSE"), join(dist, "LICENSE"));
    writeFileSync(join(dist, "package.json"), `${JSON.stringify(publishable(room), null, 2)}\n`);
    mkdirSync(folder, { recursive: true });
    const told = execFileSync("npm", ["pack", dist, "--pack-destination", folder, "--json"], {
      encoding: "utf8",
      stdio: ["ignore", "pipe", 2],
    });
    return join(resolve(folder), nameOf(told));
  } finally {
    rmSync(dist, { recursive: true, force: true });
  }
}

/** The manifest without what only the workspace needs; each door opens on what tsc made of it. */
function publishable(room: string): object {
  const { private: _private, devDependencies: _dev, exports, ...kept } = JSON.parse(readFileSync(join(ROOT, room, "package.json"), "utf8"));
  const doors = Object.entries<string>(exports).map(([door, file]) => [
    door,
    { types: file.replace(/\.ts$/, ".d.ts"), default: file.replace(/\.ts$/, ".js") },
  ]);
  return { ...kept, exports: Object.fromEntries(doors), engines: { node: ">=24" } };
}

function nameOf(told: string): string {
  const packed: unknown = JSON.parse(told);
  const [first] = Array.isArray(packed) ? packed : Object.values(packed ?? {});
  return String(first.filename);
}

const [room, folder] = process.argv.slice(2);
if (room === undefined || folder === undefined) throw new Error("node tools/pack.ts ROOM FOLDER");
process.stdout.write(`${pack(room, folder)}\n`);
