// The type stripper gives a name to each field of a class that has a value, to no use here, and looks for the next free one from the first on:
// of 20,000 fields that takes it a minute. Here it goes on behind the last.
import manager from "sucrase/dist/NameManager.js";

/** Of what names one source: the number behind each name that it found last. */
const found = new WeakMap<object, Map<string, number>>();

manager.default.prototype.findFreeName = function (name) {
  if (!this.usedNames.has(name)) return name;
  const last = found.get(this) ?? new Map<string, number>();
  found.set(this, last);
  let number = last.get(name) ?? 2;
  while (this.usedNames.has(`${name}${number}`)) number += 1;
  last.set(name, number);
  return `${name}${number}`;
};
