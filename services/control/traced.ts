// One span and two figures for each request to the API. What the caller wrote (its operation's name, its text, its values) is in none of them:
// the fields' names are the schema's, since the query was validated before.
import { readTraceparent, type Span, type Telemetry } from "@woml/boot";
import { type DocumentNode, type FragmentDefinitionNode, Kind, type OperationDefinitionNode, type SelectionSetNode } from "graphql";

export interface Traced {
  /** `traceparent` of the span; before there is one, and where nothing is traced, what the caller sent; null for neither. */
  readonly trace: string | null;
  /** Who asks is known. */
  by(tenant: string | null): void;
  /** What is asked is known, and is about to be done. */
  begin(document: DocumentNode, operationName: string | null): void;
  /** Done: with the first code of the answer, or null. Once only. */
  end(code: string | null): void;
}
export interface Arrival {
  readonly requestId: string;
  readonly traceparent: unknown;
}

/** Of a query that was never begun. */
const REFUSED: Asked = { name: "refused", label: "refused" };
/** Names of fields in a span's name. */
const NAMED = 3;

export function openTraced(telemetry: Telemetry, { requestId, traceparent }: Arrival): Traced {
  const parent = readTraceparent(traceparent);
  const startedAt = Date.now();
  const clock = performance.now();
  let tenant: string | null = null;
  let asked = REFUSED;
  let span: Span | null = null;
  let isOver = false;
  const open = (): Span => {
    const attributes = { request: requestId, ...(tenant === null ? {} : { tenant }) };
    return telemetry.span(asked.name, { parent, kind: "server", startedAt, attributes });
  };
  return {
    get trace() {
      return span?.traceparent ?? parent;
    },
    by: (known) => {
      tenant = known;
    },
    begin: (document, operationName) => {
      asked = askedFor(document, operationName);
      span ??= open();
    },
    end: (code) => {
      if (isOver) return;
      isOver = true;
      span ??= open();
      if (code !== null) span.set({ code });
      span.end(code ?? undefined);
      telemetry.count("woml_requests_total", 1, { operation: asked.label, outcome: code ?? "ok" });
      telemetry.observe("woml_request_ms", performance.now() - clock, { operation: asked.label });
    },
  };
}

/** `name` for a span; `label` for a metric, which has to have few of them. */
interface Asked {
  readonly name: string;
  readonly label: string;
}

export function askedFor(document: DocumentNode, operationName: string | null): Asked {
  const operations = document.definitions.filter((node) => node.kind === Kind.OPERATION_DEFINITION);
  const operation = operations.length === 1 ? operations[0] : operations.find(({ name }) => name?.value === operationName);
  if (operation === undefined) return REFUSED;
  const fields = [...fieldsOf(document, operation)];
  const [first = ""] = fields;
  const shown = fields.slice(0, NAMED).join(", ");
  return {
    name: `${operation.operation} ${shown}${fields.length > NAMED ? " …" : ""}`,
    label: `${operation.operation} ${fields.length > 1 ? "several" : first}`,
  };
}

function fieldsOf(document: DocumentNode, { selectionSet }: OperationDefinitionNode): ReadonlySet<string> {
  const fragments = new Map<string, FragmentDefinitionNode>();
  for (const node of document.definitions) if (node.kind === Kind.FRAGMENT_DEFINITION) fragments.set(node.name.value, node);
  const found = new Set<string>();
  const look = ({ selections }: SelectionSetNode): void => {
    for (const node of selections) {
      if (node.kind === Kind.FIELD) found.add(node.name.value);
      else if (node.kind === Kind.INLINE_FRAGMENT) look(node.selectionSet);
      else {
        const fragment = fragments.get(node.name.value);
        // Each is looked at once, however often it is spread.
        fragments.delete(node.name.value);
        if (fragment !== undefined) look(fragment.selectionSet);
      }
    }
  };
  look(selectionSet);
  return found;
}
