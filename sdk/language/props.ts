import type { DeclaredProp } from "./document.ts";
import { childrenNamed, type Element, textOf } from "./tree.ts";

/** The name of a prop in scripts: `api-key` is `apiKey`. */
export const bindingOf = (name: string): string => name.replace(/-([a-z0-9])/g, (_, letter: string) => letter.toUpperCase());

/** The props that a definition asks for, by the names that tags give them. */
export function declaredProps(root: Element): ReadonlyMap<string, DeclaredProp> {
  const props = new Map<string, DeclaredProp>();
  for (const element of childrenNamed(root, "props").flatMap((parent) => childrenNamed(parent, "prop"))) {
    const name = textOf(element, "name");
    if (name === undefined || props.has(name)) continue;
    const is = (flag: string): boolean => textOf(element, flag) === "true";
    props.set(name, { name, binding: bindingOf(name), required: is("required"), secret: is("secret") });
  }
  return props;
}
