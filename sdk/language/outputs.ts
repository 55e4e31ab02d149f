/** The ids whose outputs are certain to exist at one point of a walk. An arm is left by going back to where it was entered. */
export class Outputs {
  readonly #ids = new Set<string>();
  readonly #trail: string[] = [];

  add(id: string): void {
    if (this.#ids.has(id)) return;
    this.#ids.add(id);
    this.#trail.push(id);
  }
  has(id: string): boolean {
    return this.#ids.has(id);
  }
  mark(): number {
    return this.#trail.length;
  }
  back(mark: number): void {
    for (const id of this.#trail.splice(mark)) this.#ids.delete(id);
  }
}
