// `npm run image`: builds the image with buildah, looks at what is in it, and runs every role of it with podman. Without these it says so and
// ends with 0, or with 1 where WOML_REQUIRE_ALL=1 is set.

import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { build } from "./build.ts";
import { showCluster } from "./cluster.ts";
import { showCommands } from "./commands.ts";
import { configOf, contentOf, laidOut } from "./facts.ts";
import { openReport, type Report } from "./report.ts";
import { lacks } from "./tool.ts";

const [word] = process.argv.slice(2);
if (word !== undefined) {
  process.stderr.write(`There is no option ${word}; there is none at all.\n`);
  process.exit(2);
}
const folder = mkdtempSync(join(tmpdir(), "woml-image-"));
const report = openReport((line) => void process.stdout.write(`${line}\n`));
try {
  await main(report);
} finally {
  rmSync(folder, { recursive: true, force: true });
}
process.exitCode = report.close(process.env["WOML_REQUIRE_ALL"] === "1");

async function main(to: Report): Promise<void> {
  const missing = lacks("buildah");
  if (missing !== null) return to.skip("building the image", missing);
  const built = await to.show("built without a network, its packages out of this checkout", () => build(folder));
  if (built === null) return;
  try {
    await look(built, to);
    await run(built.image, to);
  } finally {
    built.remove();
  }
}

async function look(built: ReturnType<typeof build>, to: Report): Promise<void> {
  const config = await to.show("nobody's user, no shell, one layer of its own", () => configOf(built));
  if (config !== null) to.fact(config);
  const content = await to.show("nothing of tests, tools or development in it", () => contentOf(built));
  if (content === null) return;
  to.fact(`${content.files.length} files, ${content.megabytes} MB beside Node`);
  await to.show("file by file what tools/image.ts lays out: 0 outside its list", () =>
    assert.deepEqual(content.files, laidOut(folder).files),
  );
}

async function run(image: string, to: Report): Promise<void> {
  const missing = lacks("podman");
  if (missing !== null) return to.skip("running the image", missing);
  await showCommands(image, to);
  await showCluster(image, folder, to);
}
