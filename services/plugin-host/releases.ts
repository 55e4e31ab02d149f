/**
 * Releases by their digest. What is run is what was reviewed:
 * 1. A release counts only when artefact and manifest give the digest it was asked for by. It is looked at when it arrives, and its file again
 *    before each start of a process.
 */
import { createHash } from "node:crypto";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type Manifest, readManifest } from "@woml/capability";
import { BOUNDS } from "./bounds.ts";
import type { Release } from "./door.ts";
import { Kept } from "./kept.ts";

export interface Approved {
  readonly release: Release;
  readonly manifest: Manifest;
}
/** Why nothing can be started for a digest. `lost`: whoever was asked went away or could not tell. */
export interface Missing {
  readonly missing: "unknown" | "lost" | "invalid";
  readonly why: string;
}
/** Asks one engine for it; null: it does not know it; rejects when it cannot tell. */
export type Source = (digest: string) => Promise<Release | null>;

export class Releases {
  readonly #cache: Kept<Approved> = new Kept({ ms: Number.POSITIVE_INFINITY, count: 1_000, bytes: BOUNDS.releaseCacheBytes });
  readonly #asked = new Map<string, Promise<Approved | Missing>>();

  async get(digest: string, source: Source): Promise<Approved | Missing> {
    const cached = this.#cache.get(digest);
    if (cached !== undefined) return cached;
    const underWay = this.#asked.get(digest);
    const found = await (underWay ?? this.#ask(digest, source));
    // Another engine had been asked, and went away.
    return underWay !== undefined && "missing" in found && found.missing === "lost" ? this.get(digest, source) : found;
  }

  #ask(digest: string, source: Source): Promise<Approved | Missing> {
    const found = source(digest)
      .then((release) =>
        release === null ? { missing: "unknown" as const, why: "The release is not stored any more." } : this.#take(digest, release),
      )
      .catch(() => ({ missing: "lost" as const, why: "The release could not be had." }))
      .finally(() => this.#asked.delete(digest));
    this.#asked.set(digest, found);
    return found;
  }
  #take(digest: string, release: Release): Approved | Missing {
    const approved = approve(digest, release);
    if (!("missing" in approved)) this.#cache.set(digest, approved, release.artefact.length + release.manifest.length);
    return approved;
  }
}

/** A module's file in a folder of its own that nobody else may enter. */
export interface Unpacked {
  readonly path: string;
  remove(): void;
}

/** Throws where the file is not what the digest says. */
export function unpack(folder: string, { release }: Approved): Unpacked {
  const own = mkdtempSync(join(folder, "release-"));
  const path = join(own, "plugin.mjs");
  const remove = (): void => rmSync(own, { recursive: true, force: true });
  try {
    writeFileSync(path, release.artefact, { mode: 0o600, flag: "wx" });
    const written = digestOf({ manifest: release.manifest, artefact: readFileSync(path) });
    if (written !== release.digest) throw new Error("The file of the release is not the one that was reviewed.");
  } catch (error) {
    remove();
    throw error;
  }
  return { path, remove };
}

/** `sha256:` and hex over the canonical JSON of the two digests, which are written the same way. */
export function digestOf({ manifest, artefact }: Pick<Release, "manifest" | "artefact">): string {
  return sha256(JSON.stringify({ artefact: sha256(artefact), manifest: sha256(manifest) }));
}
const sha256 = (content: string | Uint8Array): string => `sha256:${createHash("sha256").update(content).digest("hex")}`;

function approve(digest: string, release: Release): Approved | Missing {
  if (release.digest !== digest || digestOf(release) !== digest)
    return { missing: "invalid", why: "Its artefact or manifest is not the one that was reviewed." };
  try {
    const read = readManifest(JSON.parse(release.manifest));
    return "manifest" in read ? { release, manifest: read.manifest } : { missing: "invalid", why: read.complaints.join("; ") };
  } catch {
    return { missing: "invalid", why: "Its manifest is not JSON." };
  }
}
