/** Which members and elements of a value a schema has looked at, so that it can be said of the rest what holds for them. */
export class Marks {
  readonly members: Set<string> = new Set();
  readonly elements: Set<number> = new Set();
  /** All elements before this one. */
  before = 0;

  /** What another schema has looked at, when the value is as it says. */
  add(others: Marks): void {
    for (const member of others.members) this.members.add(member);
    for (const element of others.elements) this.elements.add(element);
    this.before = Math.max(this.before, others.before);
  }

  /** How many there are: what is handed on is paid for one by one. */
  get size(): number {
    return this.members.size + this.elements.size;
  }

  hasElement(index: number): boolean {
    return index < this.before || this.elements.has(index);
  }
}
