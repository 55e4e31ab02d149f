import { StartOutdated } from "@woml/prisma";
import { ApiError } from "./errors.ts";

/** So often it is judged anew before whoever asks is told to come again. */
const TRIES = 5;

/**
 * Begins what starts with the version that is active. What was judged by one that was taken out of use before it was stored is judged again, by what
 * stands then: whoever has been answered that another is active meets no start of the old one.
 */
export async function asMeant<T>(begin: () => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries++) {
    try {
      return await begin();
    } catch (error) {
      if (!(error instanceof StartOutdated)) throw error;
      if (tries < TRIES) continue;
      const message = "what is active changes all the time; nothing was done: ask again in a moment";
      throw new ApiError("WOML_OVERLOADED", message, { retryAfterMs: 1_000 });
    }
  }
}
