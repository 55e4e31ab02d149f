import type { Json } from "@woml/model";
import type { Failure, RunEvent } from "./event.ts";
import { type Placed, placed } from "./flow-view.ts";
import { isShaped } from "./fold/shape.ts";
import { iso } from "./time.ts";

/**
 * `id` is the step's site: `charge`, or `charge#3` in iteration 3 of its loop. One whose output was taken over from the run that this one resumes is
 * `inherited`: it was not begun here.
 */
export interface StepView extends Placed {
  readonly status: "running" | "backoff" | "succeeded" | "failed" | "cancelled" | "inherited";
  readonly output: Json;
  readonly attempts: readonly AttemptView[];
}
export interface AttemptView {
  readonly number: number;
  readonly outcome: "succeeded" | "failed" | "cancelled" | null;
  readonly failure: Failure | null;
  readonly startedAt: string;
  readonly endedAt: string | null;
  readonly cpuMs: number | null;
}

/**
 * The steps of a run, those that were taken over and then the others in the order of their first start, from its events alone. Needs no legal log: of a run that is held, all that can be
 * read is shown. An attempt that was cancelled in its back-off never started and is not among the attempts.
 */
export function stepViews(events: readonly RunEvent[]): readonly StepView[] {
  const steps = new Map<string, Sketch>();
  for (const event of events.filter(isShaped)) {
    if (event.type === "step_started") start(steps, event);
    else if (event.type === "output_inherited" && event.data.isStep === true) takeOver(steps, event);
    else if (event.type === "step_retry_scheduled") steps.get(event.data.node)?.set("backoff");
    else if (event.type === "step_succeeded" || event.type === "step_failed" || event.type === "step_cancelled")
      steps.get(event.data.node)?.end(event);
  }
  return [...steps.values()].map((step) => step.view);
}

type Ended = RunEvent<"step_succeeded" | "step_failed" | "step_cancelled">;

class Sketch {
  readonly #attempts: AttemptView[] = [];
  #view: StepView;

  constructor(id: string) {
    this.#view = { ...placed(id), status: "running", output: null, attempts: this.#attempts };
  }
  get view(): StepView {
    return this.#view;
  }
  set(status: StepView["status"]): void {
    this.#view = { ...this.#view, status };
  }
  inherit(output: Json): void {
    this.#view = { ...this.#view, status: "inherited", output };
  }
  start(number: number, at: number): void {
    this.set("running");
    this.#attempts.push({ number, outcome: null, failure: null, startedAt: iso(at), endedAt: null, cpuMs: null });
  }
  end(event: Ended): void {
    const outcome = outcomeOf(event);
    this.set(outcome);
    if (event.type === "step_succeeded") this.#view = { ...this.#view, output: event.data.output };
    const last = this.#attempts.at(-1);
    if (last?.number !== event.data.attempt) return;
    const failure = event.type === "step_failed" ? event.data.failure : null;
    const cpuMs = event.type === "step_cancelled" ? null : event.data.cpuMs;
    this.#attempts[this.#attempts.length - 1] = { ...last, outcome, failure, endedAt: iso(event.at), cpuMs };
  }
}

function takeOver(steps: Map<string, Sketch>, { data }: RunEvent<"output_inherited">): void {
  const step = new Sketch(data.node);
  step.inherit(data.output);
  steps.set(data.node, step);
}

function start(steps: Map<string, Sketch>, { data, at }: RunEvent<"step_started">): void {
  const step = steps.get(data.node) ?? new Sketch(data.node);
  steps.set(data.node, step);
  step.start(data.attempt, at);
}

function outcomeOf({ type }: Ended): "succeeded" | "failed" | "cancelled" {
  if (type === "step_succeeded") return "succeeded";
  return type === "step_failed" ? "failed" : "cancelled";
}
