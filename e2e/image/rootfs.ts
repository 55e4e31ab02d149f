// What the image stands on here, since no registry of images is reachable: this checkout's Node with the libraries it is linked with, and
// nothing else. There is no shell in it.
import { execFileSync } from "node:child_process";
import { chmodSync, cpSync, existsSync, mkdirSync, realpathSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";

/** Loaded by name when a host is looked up, so ldd does not list them. */
const BY_NAME = /^(libnss_(dns|files)|libresolv)\.so\.2$/;
const TAKEN_WHERE_THERE = ["/etc/ssl/certs/ca-certificates.crt", "/usr/share/zoneinfo"];
const FILES = {
  "etc/passwd": "root:x:0:0::/:/none\nwoml:x:10001:10001::/tmp:/none\n",
  "etc/group": "root:x:0:\nwoml:x:10001:\n",
  "etc/nsswitch.conf": "hosts: files dns\n",
};

/** Lays it out under `folder`. */
export function layRoot(folder: string): void {
  const node = realpathSync(process.execPath);
  const linked = [...execFileSync("ldd", [node], { encoding: "utf8" }).matchAll(/(\/\S+\.so[.\d]*)/g)].map(([path]) => path);
  const libc = linked.find((path) => path.includes("libc.so")) ?? "/lib/libc.so.6";
  const named = execFileSync("ls", [dirname(libc)], { encoding: "utf8" })
    .split("\n")
    .filter((file) => BY_NAME.test(file));
  lay(node, join(folder, "usr/local/bin/node"));
  chmodSync(join(folder, "usr/local/bin/node"), 0o755);
  for (const path of [...linked, ...named.map((file) => join(dirname(libc), file))]) lay(path, join(folder, path));
  for (const path of TAKEN_WHERE_THERE) if (existsSync(path)) lay(path, join(folder, path));
  for (const [path, text] of Object.entries(FILES)) write(join(folder, path), text);
  mkdirSync(join(folder, "tmp"));
  chmodSync(join(folder, "tmp"), 0o1777);
}

function lay(from: string, to: string): void {
  mkdirSync(dirname(to), { recursive: true, mode: 0o755 });
  cpSync(realpathSync(from), to, { recursive: true, dereference: true });
}

function write(path: string, text: string): void {
  mkdirSync(dirname(path), { recursive: true, mode: 0o755 });
  writeFileSync(path, text, { mode: 0o644 });
}
