import { type Cell, KILLS, POINTS } from "./rules.ts";
import type { Stage } from "./stage.ts";
import { tryPair } from "./trial.ts";
import { emptyRow, type Row, verdictOf, type Word } from "./verdict.ts";

/** A busy machine may be late at a point, the busier the more often; then nothing was hit, and it is tried again. */
const TRIES = 8;

/** Each pair of a point and a kill with all its classes at once. The cells of a pair that cannot be hit are empty, and say so. */
export async function runMatrix(stage: Stage, cells: readonly Cell[], told: (row: Row) => void): Promise<readonly Row[]> {
  const turn = turns();
  const rows: Row[] = [];
  for (const [number, point] of POINTS.entries()) {
    for (const [letter, kill] of KILLS.entries()) {
      const pair = cells.filter((cell) => cell.point === point && cell.kill === kill);
      if (pair.length === 0) continue;
      const tell = (row: Row): void => {
        rows.push(row);
        told(row);
      };
      const seen = await hit(stage, pair, `${number}${letter}`).catch((error: Error) => error.message);
      if (typeof seen === "string") for (const cell of pair) tell(emptyRow(cell, seen));
      else for (const one of seen) tell(await verdictOf(stage, one, turn));
    }
  }
  return rows;
}

async function hit(stage: Stage, pair: readonly Cell[], label: string): ReturnType<typeof tryPair> {
  for (let tries = 1; ; tries++) {
    try {
      return await tryPair(stage, pair, `${label}-${tries}`);
    } catch (error) {
      if (tries === TRIES) throw error;
      // What was withheld must not be in the next one's way.
      stage.proxy.letGo();
    }
  }
}

function turns(): () => Word {
  let count = 0;
  return () => (count++ % 2 === 0 ? "RETRY" : "FAILED");
}
