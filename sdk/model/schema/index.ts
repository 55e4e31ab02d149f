// The door for whoever judges schemas themselves, and needs no other.
export { type Fault, MOST_FAULTS, type Part, pointerOf, type Way } from "./fault.ts";
export { isObject, isVersion, KEYWORDS, partsOf } from "./keywords.ts";
export { type PayloadIssue, payloadIssues } from "./payload.ts";
export { follow } from "./reference.ts";
export { type Placed, type Resources, resourcesOf } from "./resources.ts";
export { statesOf } from "./states.ts";
