/** What a script is given, each as JSON text: a step its context, what is reusable its props, a hook what it is told of, a provider the notice. */
import { handleOf } from "@woml/capability";
import type { Graph, Reference } from "@woml/model";
import { contextText, type Failure, isAction, lifecycleFor, messageFor, propsFor, type RunState, type Task, taskAt } from "@woml/run";
import { MESSAGE_CHARACTERS } from "../bounds.ts";
import type { Caller } from "./identity.ts";
import { APPROVAL_TOKEN } from "./secret.ts";

/** What is absent has no binding. */
export interface Bindings {
  readonly context: string;
  readonly props?: string;
  readonly lifecycle?: string;
  readonly notification?: string;
}
interface Standing {
  readonly graph: Graph;
  readonly state: RunState;
  readonly task: Task;
  readonly caller: Pick<Caller, "tag">;
  readonly idempotencyKey: string;
}

/** Names of the secrets that a script is given: those that it names, or that its props are; and the token of an approval that it asks about. */
export function secretsOf({ script, reusable, event }: Task): readonly string[] {
  const props = reusable?.props.flatMap(({ value }) => (value.kind === "secret" ? value.name : [])) ?? [];
  return [...(script.secrets ?? []), ...props, ...(event === "notice" ? [APPROVAL_TOKEN] : [])];
}

/** As of the attempt's start; or why it can be given nothing. */
export function bindingsOf(standing: Standing): Bindings | Failure {
  const { graph, state, task, caller } = standing;
  const notice = task.role === "notice" ? notification(standing) : null;
  if (notice !== null && "code" in notice) return notice;
  const given = propsFor(graph, state, task, (name) => handleOf(caller.tag, name));
  if ("missing" in given) return notAvailable(task.site, given.missing);
  return {
    context: isOfProvider(graph, task) ? "{}" : contextText(graph, state, task.site),
    ...(task.reusable === null ? {} : { props: JSON.stringify(given.props) }),
    ...(task.role === "action" ? { lifecycle: JSON.stringify(lifecycleFor(graph, state, task)) } : {}),
    ...(notice === null ? {} : { notification: JSON.stringify(notice) }),
  };
}

/** Providers see nothing of a run but what they are to tell; nor does their own lifecycle. */
function isOfProvider(graph: Graph, { role, subject, reusable }: Task): boolean {
  if (role === "notice") return true;
  return reusable !== null && subject !== null && isAction(subject) && taskAt(graph, subject).role === "notice";
}

interface Notification {
  readonly message: string;
  /** Of an approval: what can be decided, each with the handle of the token that decides it. */
  readonly actions?: readonly { readonly decision: "approved" | "rejected"; readonly token: string }[];
  /** Equal in all attempts of the notice. */
  readonly idempotencyKey: string;
}

function notification({ graph, state, task, caller, idempotencyKey }: Standing): Notification | Failure {
  if (task.event === "notice") {
    const token = handleOf(caller.tag, APPROVAL_TOKEN);
    const actions = (["approved", "rejected"] as const).map((decision) => ({ decision, token }));
    return { message: request(graph, task.subject ?? ""), actions, idempotencyKey };
  }
  const said = messageFor(graph, state, task);
  if ("wrong" in said) return unreadable(task.site, said.wrong);
  const { length } = said.message;
  if (length === 0) return unsayable(task.site, "WOML_LIFECYCLE_TEMPLATE_EMPTY", "The message is empty.");
  const message = `The message has ${length} characters, more than ${MESSAGE_CHARACTERS}.`;
  if (length > MESSAGE_CHARACTERS) return unsayable(task.site, "WOML_LIFECYCLE_TEMPLATE_TOO_LARGE", message);
  return { message: said.message, idempotencyKey };
}

/** What asks for a decision. */
function request(graph: Graph, approval: string): string {
  const { workflow } = graph.definition;
  const node = graph.node(approval);
  const { name, description } = node.kind === "approval" ? node : {};
  const says = description === undefined ? "" : ` ${description}`;
  return `${workflow.name ?? workflow.id}: ${name ?? approval} waits for a decision, to approve or to reject.${says}`;
}

function notAvailable(step: string, reference: Reference): Failure {
  const message = `${spelled(reference)} is not there: a property is missing, or asked of something that is no object.`;
  return { code: "WOML_REFERENCE_NOT_AVAILABLE", kind: "reference_not_available", message, step };
}

function unreadable(step: string, reference: Reference): Failure {
  const message = `${spelled(reference)} of the message is not there, or is no text, number, true or false.`;
  return unsayable(step, "WOML_LIFECYCLE_TEMPLATE_REFERENCE_INVALID", message);
}

const unsayable = (step: string, code: string, message: string): Failure => ({ code, kind: "message_invalid", message, step });

const spelled = (reference: Reference): string => `{{${reference[0] === "lifecycle" ? "" : "context."}${reference.join(".")}}}`;
