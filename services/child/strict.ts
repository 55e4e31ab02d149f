/**
 * Strict reading of what came over a wire: every field known, checked and present, nothing else there. A complaint quotes nothing of it: it is
 * logged and shown, and a guest may have put into a name what must not be.
 */
export class FrameFault extends Error {
  override readonly name = "FrameFault";
}

/** Answers what is wrong, or undefined. */
export type Rule = (value: unknown) => string | undefined;
/** A rule for each field of T, so that a new field without a rule does not compile. */
export type Fields<T> = { readonly [K in keyof T]-?: undefined extends T[K] ? OptionalRule : Rule };
export interface OptionalRule extends Rule {
  readonly optional: true;
}

export function text(maxChars: number, minChars = 0): Rule {
  return (value) =>
    typeof value === "string" && value.length >= minChars && value.length <= maxChars ? undefined : `is not a text of at most ${maxChars}`;
}
export function utf8(maxBytes: number): Rule {
  return (value) =>
    typeof value === "string" && Buffer.byteLength(value) <= maxBytes ? undefined : `is not a text of at most ${maxBytes} bytes`;
}
export function integer(min: number, max: number): Rule {
  return (value) =>
    Number.isSafeInteger(value) && Number(value) >= min && Number(value) <= max ? undefined : `is not a whole number from ${min} to ${max}`;
}
export function duration(maxMs: number): Rule {
  return (value) => (typeof value === "number" && value >= 0 && value <= maxMs ? undefined : `is not a number from 0 to ${maxMs}`);
}
export function one(...words: readonly string[]): Rule {
  return (value) => (typeof value === "string" && words.includes(value) ? undefined : "is not a word it may be");
}
export function matching(pattern: RegExp): Rule {
  return (value) => (typeof value === "string" && pattern.test(value) ? undefined : "is not a text of its form");
}
export const none: Rule = (value) => (value === null ? undefined : "is not null");
/** The first rule that is kept; the last one's complaint. */
export function either(...rules: readonly Rule[]): Rule {
  return (value) => {
    let complaint: string | undefined = "may be nothing";
    for (const rule of rules) {
      complaint = rule(value);
      if (complaint === undefined) break;
    }
    return complaint;
  };
}
/** An object whose names are of a form and whose values keep a rule. `__proto__` is a name like any other: the form has to refuse it. */
export function table(names: RegExp, rule: Rule, max: number): Rule {
  return (value) => {
    if (typeof value !== "object" || value === null || Array.isArray(value)) return "is not an object";
    const entries = Object.entries(value);
    if (entries.length > max) return `has more than ${max} members`;
    if (!entries.every(([name]) => names.test(name))) return "has a name that is not of its form";
    return entries.map(([, inner]) => rule(inner)).find((complaint) => complaint !== undefined);
  };
}
export function list(rule: Rule, max: number): Rule {
  return (value) => {
    if (!Array.isArray(value) || value.length > max) return `is not a list of at most ${max}`;
    return value.map(rule).find((complaint) => complaint !== undefined);
  };
}
export function optional(rule: Rule): OptionalRule {
  return Object.assign((value: unknown) => rule(value), { optional: true as const });
}

/** `__proto__` is an own name after JSON.parse, and as unknown here as any other. */
export function record<T extends object>(fields: Fields<T>): Rule {
  const rules = new Map<string, Rule>(Object.entries(fields));
  const needed = [...rules].filter(([, rule]) => !("optional" in rule)).map(([name]) => name);
  return (value) => {
    if (typeof value !== "object" || value === null || Array.isArray(value)) return "is not an object";
    for (const [name, inner] of Object.entries(value)) {
      const rule = rules.get(name);
      if (rule === undefined) return "has a field that is not known";
      const complaint = rule(inner);
      if (complaint !== undefined) return `${name} ${complaint}`;
    }
    const missing = needed.find((name) => !Object.hasOwn(value, name));
    return missing === undefined ? undefined : `lacks ${missing}`;
  };
}
