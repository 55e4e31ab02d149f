// A release is what its digests say: the text of the manifest and the bytes of the file. Everything else about it is said by others.
import { createHash } from "node:crypto";
import { canonical, type Json } from "@woml/model";
import type { NewRelease } from "@woml/prisma";
import { digestOf, sha256 } from "./digest.ts";

/** What a manifest has to have for a release to be made of it; `readManifest` of the capability's room has seen all of it. */
interface Named {
  readonly id: string;
  readonly version: string;
}

export function releaseOf(manifest: Named, artefact: Uint8Array, submittedBy: string): NewRelease {
  const text = canonical(manifest as unknown as Json);
  const digests = { artefact: `sha256:${createHash("sha256").update(artefact).digest("hex")}`, manifest: sha256(text) };
  return {
    ...{ digest: digestOf(digests), manifest: text, artefact, submittedBy },
    ...{ capability: manifest.id, version: manifest.version, manifestDigest: digests.manifest, artefactDigest: digests.artefact },
  };
}
