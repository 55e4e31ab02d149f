import { type Failure, taskAt } from "@woml/run";
import { STORE_RETRY_MS } from "../bounds.ts";
import type { World } from "../engine.ts";
import { type Import, type Library, ModuleFault, type Modules } from "../library.ts";
import { type Frame, type Script, scriptFrame } from "./script.ts";

/** A frame that is to be made, of the run as it is when that is done. */
interface Making {
  readonly means: Parameters<typeof scriptFrame>[0] & { readonly world: Pick<World, "alarm">; readonly library: Library };
  readonly script: () => Script;
  readonly isWanted: () => boolean;
  /** It cannot be sent, and this is what its attempt comes to. */
  readonly failed: (failure: Failure) => void;
  /** Something is so wrong that the run has to be held. */
  readonly refused: (error: unknown) => void;
}

/** At once, unless modules have to be read for it. null: `failed` or `refused` was told, or it is not wanted any more. */
export function makeFrame(making: Making): Frame | null | Promise<Frame | null> {
  const refuse = (error: unknown): null => {
    making.refused(error);
    return null;
  };
  try {
    const { prepared, node } = making.script();
    const { modules } = taskAt(prepared.graph, node).script;
    return modules === undefined ? made(making) : withModules(making, modules).catch(refuse);
  } catch (error) {
    return refuse(error);
  }
}

function made({ means, script, failed }: Making, modules?: Modules): Frame | null {
  const frame = scriptFrame(means, script());
  if (!("code" in frame)) return modules === undefined ? frame : { ...frame, modules };
  failed(frame);
  return null;
}

/** For as long as the store does not answer it is asked again. */
async function withModules(making: Making, imports: readonly Import[]): Promise<Frame | null> {
  const { means, script, isWanted } = making;
  while (isWanted()) {
    const read = await means.library.modules(script().key.tenant, imports).catch(unlessFalse);
    if (read !== null) return isWanted() ? made(making, read) : null;
    await new Promise<void>((resolve) => void means.world.alarm(STORE_RETRY_MS, resolve));
  }
  return null;
}

function unlessFalse(error: unknown): null {
  if (error instanceof ModuleFault) throw error;
  return null;
}
