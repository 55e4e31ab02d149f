import { quoted } from "../../source.ts";
import { type Element, textOf } from "../../tree.ts";
import { isRoute } from "../../visibility.ts";

const ARMED: ReadonlySet<string> = new Set(["choose", "switch", "branch", "approval"]);

/** What helps against a reference in `place` to an output that is not certain there: `made` is the element that has it. */
export function helpFor(made: Element, place: Element): string {
  const around = new Set(lineOf(place));
  if (around.has(made)) return "It is there only when what reads it has ended: refer to something before it.";
  const line = lineOf(made).toReversed();
  const at = line.findIndex((element) => !around.has(element));
  const [common, branching] = [line[at - 1], line[at]];
  if (common === place)
    return `It is made in this <${place.name}>, which is entered when this has been read: refer to something before it.`;
  if (common?.name === "parallel") return "Steps of one group do not see each other: refer to it behind the group.";
  if (common && isArmed(common)) return `Only one arm of the <${common.name}> is taken: refer to something before it, or in the same arm.`;
  if (branching && branching.range.start > place.range.start) return "It comes later: move it in front of what reads it.";
  return insteadOf(line.slice(at));
}

/** What stands for an output behind the outermost group that it is made in. */
function insteadOf(line: readonly Element[]): string {
  const group = line.find((element) => isArmed(element) || element.name === "for-each");
  const id = group && textOf(group, "id");
  if (!group) return "Refer to something that is always completed before, such as an earlier item.";
  const reference = `{{context.steps.${id && id.length <= 60 ? id : "<id>"}}}`;
  if (group.name === "for-each")
    return `It is made anew by each iteration: end the loop with a <result>, and refer to ${reference.replace("}}", ".results}}")}.`;
  if (group.name === "approval") return "It is made in one arm alone: read it in the same arm, or refer to the decision.";
  if (id === undefined)
    return `It is made in one arm alone: give the <${group.name}> an id and every arm a <result>, and refer to that id.`;
  return `It is made in one arm alone: refer to ${reference}, whichever arm of ${quoted(id)} is taken.`;
}

const isArmed = (element: Element): boolean => ARMED.has(element.name) && !isRoute(element);

/** An element and all that it stands in, innermost first. */
export function lineOf(element: Element): readonly Element[] {
  const line: Element[] = [];
  for (let at: Element | null = element; at; at = at.parent) line.push(at);
  return line;
}
