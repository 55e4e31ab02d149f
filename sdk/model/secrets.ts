import type { Definition } from "./definition.ts";
import type { Notice } from "./node/notice.ts";
import { outline } from "./outline.ts";
import { noticesOf, reusablesOf, scriptsOf } from "./scripts.ts";
import type { Trigger } from "./trigger.ts";

/** The names of all secrets that a workflow needs, sorted: of its scripts, of props, of its triggers and of its notices. What plugins ask for is theirs. */
export function secretNames(definition: Definition): readonly string[] {
  const whole = outline(definition);
  const props = [...reusablesOf(whole)].flatMap(({ part }) => part.reusable.props);
  const names = [
    ...[...scriptsOf(whole)].flatMap(({ part }) => part.secrets ?? []),
    ...props.flatMap(({ value }) => (value.kind === "secret" ? value.name : [])),
    ...definition.triggers.flatMap(namedBy),
    ...[...noticesOf(whole)].flatMap(({ part }) => namedBy(part)),
  ];
  return [...new Set(names)].toSorted();
}

const MEMBERS = ["secret", "botToken", "appToken", "accessToken", "verifyToken", "appSecret"];

function namedBy(part: Trigger | Notice): readonly string[] {
  return Object.entries(part).flatMap(([member, value]) => (MEMBERS.includes(member) && typeof value === "string" ? value : []));
}
