interface Span {
  readonly from: number;
  to: number;
}

/**
 * The ids whose outputs are certain to exist at one point of a walk, and what was certain at an earlier one. An arm is left by going back
 * to where it was entered.
 */
export class Outputs {
  readonly #ids = new Set<string>();
  readonly #trail: string[] = [];
  readonly #spans = new Map<string, Span[]>();
  #changes = 0;

  add(id: string): void {
    if (this.#ids.has(id)) return;
    this.#changes += 1;
    this.#ids.add(id);
    this.#trail.push(id);
    const span = { from: this.#changes, to: Number.POSITIVE_INFINITY };
    const spans = this.#spans.get(id);
    if (spans) spans.push(span);
    else this.#spans.set(id, [span]);
  }
  has(id: string): boolean {
    return this.#ids.has(id);
  }
  /** This point of the walk, for `had`. */
  get now(): number {
    return this.#changes;
  }
  had(id: string, when: number): boolean {
    return (this.#spans.get(id) ?? []).some(({ from, to }) => from <= when && when < to);
  }
  mark(): number {
    return this.#trail.length;
  }
  /** Answers what is no longer certain. */
  back(mark: number): readonly string[] {
    const gone = this.#trail.splice(mark);
    this.#changes += 1;
    for (const id of gone) {
      this.#ids.delete(id);
      const span = this.#spans.get(id)?.at(-1);
      if (span) span.to = this.#changes;
    }
    return gone;
  }
}
