import assert from "node:assert/strict";
import { test } from "node:test";
import { deflateRawSync, gzipSync } from "node:zlib";
import { fromTgz, fromZip } from "./archive.ts";

function tarred(path: string, text: string): Buffer {
  const header = Buffer.alloc(512);
  header.write(path, 0);
  header.write(Buffer.byteLength(text).toString(8).padStart(11, "0"), 124);
  const body = Buffer.alloc(Math.ceil(Buffer.byteLength(text) / 512) * 512);
  body.write(text);
  return Buffer.concat([header, body]);
}

function zipped(path: string, text: string): Buffer {
  const bytes = deflateRawSync(text);
  const [local, central, end] = [Buffer.alloc(30), Buffer.alloc(46), Buffer.alloc(22)];
  local.writeUInt16LE(path.length, 26);
  central.writeUInt32LE(0x02014b50);
  central.writeUInt16LE(8, 10);
  central.writeUInt32LE(bytes.length, 20);
  central.writeUInt16LE(path.length, 28);
  end.writeUInt32LE(0x06054b50);
  end.writeUInt32LE(local.length + path.length + bytes.length, 16);
  return Buffer.concat([local, Buffer.from(path), bytes, central, Buffer.from(path), end]);
}

test("of a tgz the files that are wanted, each whole", () => {
  const long = "x".repeat(1_000);
  const tgz = gzipSync(
    Buffer.concat([tarred("package/a.js", long), tarred("package/b.js", ""), tarred("other/c.js", "c"), Buffer.alloc(1_024)]),
  );
  const files = fromTgz(tgz, (path) => path.startsWith("package/"));
  assert.deepEqual(
    [...files].map(([path, bytes]) => [path, bytes.toString()]),
    [
      ["package/a.js", long],
      ["package/b.js", ""],
    ],
  );
});

test("of a zip one file; another path, and what is no zip, are refused", () => {
  const zip = zipped("helm/helm", "binary");
  assert.equal(fromZip(zip, "helm/helm").toString(), "binary");
  assert.throws(() => fromZip(zip, "helm"), /has no helm/);
  assert.throws(() => fromZip(Buffer.from("nothing"), "helm"), /no zip file/);
});
