import { type Accepted, collect, copied, lawful } from "./judge.ts";
import { hasShape, shapeFaults } from "./shape.ts";

/**
 * Judges a definition alone, whoever made it: JSON text, size, shape, then law by law. All violations of the first stage that has
 * any, sorted by path. What is accepted is a normalised copy that shares nothing with `value`. Never throws for what JSON can say.
 */
export function accept(value: unknown): Accepted {
  const copy = copied(value);
  if ("violations" in copy) return copy;
  return hasShape(copy.value) ? lawful(copy.value) : { violations: collect(shapeFaults(copy.value)) };
}
