// What an engine's log says of plugin hosts: a warning is a host that was lost, and nothing that was meant to happen.
import assert from "node:assert/strict";
import { test } from "node:test";
import { openLog } from "@woml/boot";
import { openPluginHosts } from "../hosts.ts";
import { SECRET, startFar } from "./far.ts";
import { releasesOf, until } from "./place.ts";

test("a host that is told to end has ended in order, a killed one is out of reach, and who ends itself says neither", async (t) => {
  const lines: string[] = [];
  const said = (): readonly string[] => lines.map((line) => `${JSON.parse(line).level} ${JSON.parse(line).msg}`);
  const log = openLog("test", "info", { write: (line: string) => void lines.push(line) });
  const [told, killed, other] = await Promise.all([startFar(t), startFar(t), startFar(t)]);
  const addresses = [told, killed, other].map(({ port }) => ({ host: "127.0.0.1", port }));
  const hosts = openPluginHosts({ addresses, secrets: [SECRET], ...releasesOf(), log });
  t.after(() => hosts.close());
  await until(() => said().length === 3);
  told.kill("SIGTERM");
  await told.exited;
  await until(() => said().length === 4);
  killed.kill("SIGKILL");
  await killed.exited;
  await until(() => said().length === 5);
  await hosts.close();
  assert.deepEqual(said().slice(3), ["30 a plugin host has ended in order", "40 a plugin host is out of reach"]);
});
