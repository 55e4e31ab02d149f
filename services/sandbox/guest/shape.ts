// Runs inside an isolate as source text: whatever it names must be declared inside it or be a global of the language.

/** How a call is written that takes more than one argument: what its arguments are of its input, and what of its options, beside `name`, is too. */
export interface Shape {
  readonly given: readonly string[];
  readonly options: readonly string[];
}

/** Of services that the language itself has; any other takes an input and `{ name }`. */
export function shapeOf(operation: string): Shape | null {
  switch (operation) {
    case "state.get":
      return { given: ["key"], options: ["version"] };
    case "state.has":
      return { given: ["key"], options: [] };
    case "state.set":
      return { given: ["key", "value"], options: ["ifVersion"] };
    case "state.setIfAbsent":
      return { given: ["key", "value"], options: [] };
    case "state.increment":
      return { given: ["key", "by"], options: ["ifVersion"] };
    case "state.delete":
      return { given: ["key"], options: ["ifVersion"] };
    case "workflows.call":
      return { given: ["id", "payload"], options: ["timeout"] };
    case "workflows.start":
      return { given: ["id", "payload"], options: [] };
    default:
      return null;
  }
}
