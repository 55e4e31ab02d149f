import { flowsOf, type Law, outputsOf } from "../outline.ts";
import { hookReadings, type Place, readings, readNode } from "../reading.ts";
import { type Violation, violated } from "../violation.ts";

/** A reference is a path into the payload or into an output that exists; in the body of a loop also into its item and iteration. */
export const knownReferences: Law = function* (whole) {
  const flows = flowsOf(whole);
  for (const flow of flows) {
    const inLoop = flow.loop !== null;
    for (const reading of readings(flow)) yield* judge(reading, inLoop, (id) => flow.yields(id));
  }
  const outputs = outputsOf(flows);
  for (const reading of hookReadings(whole)) yield* judge(reading, false, (id) => outputs.has(id));
};

function* judge({ path, reference }: Place, inLoop: boolean, yields: (id: string) => boolean): Generator<Violation> {
  const read = readNode(reference, inLoop);
  if (read === undefined) yield violated("WOML_INVALID_REFERENCE", path, inLoop ? `${FORMS}, ${LOOP_FORMS}` : FORMS);
  else if (read !== null && !yields(read)) {
    yield violated("WOML_UNKNOWN_REFERENCE", path, `${read.slice(0, 80)} has no output that can be read here`);
  }
}

const FORMS = 'a reference begins with "payload", or with "steps" and a node id';
const LOOP_FORMS = 'or with "item", or is "iteration" and "index" or "total"';
