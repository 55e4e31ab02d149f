/** What was shown, one line each: `ok`, `FAILED` with its reason, or `skipped` with what it would take. */
export interface Report {
  /** null where it failed. */
  show<T>(what: string, work: () => T | Promise<T>): Promise<T | null>;
  skip(what: string, why: string): void;
  fact(text: string): void;
  /** The exit code; `all`: what was skipped counts as failed. */
  close(all?: boolean): number;
}

export function openReport(write: (line: string) => void): Report {
  const counts = { passed: 0, failed: 0, skipped: 0 };
  return {
    show: async (what, work) => {
      const began = Date.now();
      try {
        const answer = await work();
        counts.passed++;
        write(`ok       ${what} (${((Date.now() - began) / 1_000).toFixed(1)} s)`);
        return answer;
      } catch (error) {
        counts.failed++;
        write(`FAILED   ${what}: ${error instanceof Error ? error.message : String(error)}`);
        return null;
      }
    },
    skip: (what, why) => {
      counts.skipped++;
      write(`skipped  ${what}: ${why}`);
    },
    fact: (text) => write(`         ${text}`),
    close: (all = false) => {
      write(`${counts.passed} passed, ${counts.failed} failed, ${counts.skipped} skipped`);
      return counts.failed === 0 && !(all && counts.skipped > 0) ? 0 : 1;
    },
  };
}
