// Runs inside an isolate as source text: whatever it names must be declared inside it or be a global of the language.

/** How a call is written that takes more than one argument: what its arguments are of its input, and what of its options, beside `name`, is too. */
export interface Shape {
  readonly given: readonly string[];
  readonly options: readonly string[];
  /** What an input is refused with that is too large for any call: as one that is only too large for this. */
  readonly large: string;
}

/** Of services that the language itself has; any other takes an input and `{ name }`. */
export function shapeOf(operation: string): Shape | null {
  switch (operation) {
    case "state.get":
      return { given: ["key"], options: ["version"], large: "WOML_STATE_KEY_INVALID" };
    case "state.has":
      return { given: ["key"], options: [], large: "WOML_STATE_KEY_INVALID" };
    case "state.set":
      return { given: ["key", "value"], options: ["ifVersion"], large: "WOML_STATE_VALUE_TOO_LARGE" };
    case "state.setIfAbsent":
      return { given: ["key", "value"], options: [], large: "WOML_STATE_VALUE_TOO_LARGE" };
    case "state.increment":
      return { given: ["key", "by"], options: ["ifVersion"], large: "WOML_STATE_KEY_INVALID" };
    case "state.delete":
      return { given: ["key"], options: ["ifVersion"], large: "WOML_STATE_KEY_INVALID" };
    case "events.emit":
      return { given: ["signal", "payload"], options: [], large: "WOML_EVENT_PAYLOAD_TOO_LARGE" };
    case "workflows.call":
      return { given: ["id", "payload"], options: ["timeout"], large: "WOML_WORKFLOW_PAYLOAD_TOO_LARGE" };
    case "workflows.start":
      return { given: ["id", "payload"], options: [], large: "WOML_WORKFLOW_PAYLOAD_TOO_LARGE" };
    default:
      return null;
  }
}
