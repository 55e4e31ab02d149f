import type { Trigger } from "@woml/model";
import { isObject } from "@woml/model/schema";
import { intervalMs } from "../duration.ts";
import { commaItems } from "../list.ts";
import { bodyOf, parsed } from "../schema/json.ts";
import { secretName } from "../secret.ts";
import { childrenNamed, type Element, elementsOf, textOf } from "../tree.ts";
import { required } from "./attribute.ts";
import type { Draft } from "./draft.ts";

export const lowerTriggers = (workflow: Element, draft: Draft): Trigger[] =>
  childrenNamed(workflow, "triggers")
    .flatMap(elementsOf)
    .map((element) => {
      draft.subjects.set(`trigger:${required(element, "id")}`, element.openRange);
      return lowerTrigger(element, draft.document.text);
    });

function lowerTrigger(element: Element, text: string): Trigger {
  const id = required(element, "id");
  switch (element.name) {
    case "webhook":
      return { id, kind: "webhook", path: required(element, "path"), ...optionalSecret(element), ...schemaOf(element, text) };
    case "schedule":
      return {
        ...{ id, kind: "schedule", cron: required(element, "cron"), timezone: textOf(element, "timezone") ?? "UTC" },
        onMissed: onMissed(element),
      };
    case "interval":
      return { id, kind: "interval", everyMs: everyMs(element), onMissed: onMissed(element) };
    case "event":
      return { id, kind: "signal", name: required(element, "name"), ...optionalSecret(element), ...schemaOf(element, text) };
    case "manual":
      return { id, kind: "manual" };
    default:
      return lowerChat(element, text);
  }
}

function lowerChat(element: Element, text: string): Trigger {
  const id = required(element, "id");
  const events = list(element, "events", text) ?? [];
  const channels = list(element, "channels", text);
  switch (element.name) {
    case "slack":
      return {
        ...{ id, kind: "slack", events, ...(channels && { channels }) },
        ...{ botToken: secret(element, "bot-token"), appToken: secret(element, "app-token") },
      };
    case "telegram":
      return { id, kind: "telegram", events, botToken: secret(element, "bot-token") };
    case "discord":
      return { id, kind: "discord", events, ...(channels && { channels }), botToken: secret(element, "bot-token") };
    case "whatsapp":
      return {
        ...{ id, kind: "whatsapp", events, phoneNumberId: required(element, "phone-number-id") },
        ...{ verifyToken: secret(element, "verify-token"), appSecret: secret(element, "app-secret") },
      };
    default:
      throw new Error(`<${element.name}> has passed the rules as a trigger`);
  }
}

/** Sorted: a list means the same in any order. */
function list(element: Element, name: string, text: string): string[] | undefined {
  const attribute = element.attributes.get(name);
  return (
    attribute &&
    commaItems(attribute, text)
      .map((item) => item.text)
      .sort()
  );
}

function secret(element: Element, attribute: string): string {
  const name = secretName(required(element, attribute));
  if (name === null) throw new Error(`<${element.name}> with a ${attribute} that is no secret has passed the rules`);
  return name;
}

const optionalSecret = (element: Element): { secret?: string } =>
  element.attributes.has("secret") ? { secret: secret(element, "secret") } : {};

/** As the author wrote it. */
function schemaOf(element: Element, text: string): Pick<Extract<Trigger, { kind: "webhook" }>, "schema"> {
  const [schema] = childrenNamed(element, "schema");
  if (!schema) return {};
  const value = parsed(bodyOf(schema, text)?.text ?? "");
  if (value === undefined || !isObject(value)) throw new Error("a schema that is no object has passed the rules");
  return { schema: value };
}

const onMissed = (element: Element): "skip" | "run-once" => (textOf(element, "on-missed") === "run-once" ? "run-once" : "skip");

function everyMs(element: Element): number {
  const ms = intervalMs(required(element, "every"));
  if (ms === null) throw new Error("an interval that is none has passed the rules");
  return ms;
}
