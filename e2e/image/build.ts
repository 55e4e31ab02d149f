// The Dockerfile as it is, without a network. What differs from `buildah bud .` on a machine with one: the images it builds from are made here,
// and the packages are this checkout's, mounted where npm would have put them.
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { ROOT } from "../support/platform.ts";
import { layRoot } from "./rootfs.ts";
import { ask, tell } from "./tool.ts";

export interface Built {
  readonly image: string;
  /** What it was built from. */
  readonly from: string;
  remove(): void;
}

/** `folder` is one to write to. */
export function build(folder: string): Built {
  const [from, image] = [`localhost/woml-node:${process.pid}`, `localhost/woml:${process.pid}`];
  const root = join(folder, "root");
  layRoot(root);
  const recipe = join(folder, "Node.dockerfile");
  writeFileSync(recipe, "FROM scratch\nCOPY . /\nENV PATH=/usr/local/bin\n");
  tell("buildah", ["bud", "--quiet", "--tag", from, "--file", recipe, root]);
  const mounts = ["node_modules", "prisma/generated"].flatMap((path) => ["--volume", `${join(ROOT, path)}:/src/${path}:ro`]);
  const args = [`BUILD_IMAGE=${from}`, `BASE_IMAGE=${from}`, "REVISION=test"].flatMap((one) => ["--build-arg", one]);
  tell("buildah", ["bud", "--quiet", "--network", "none", "--pull-never", ...args, ...mounts, "--tag", image, "."], ROOT);
  return { image, from, remove: () => void ask("buildah", ["rmi", "--force", image, from]) };
}
