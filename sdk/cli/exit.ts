/** What the shell is told. */
export const EXIT = { ok: 0, failed: 1, usage: 2, invalid: 3 } as const;
export type ExitCode = (typeof EXIT)[keyof typeof EXIT];

/** Ends the command with a sentence on stderr. */
export class Ending extends Error {
  override readonly name = "Ending";
  readonly code: string;
  readonly exit: ExitCode;

  constructor(exit: ExitCode, code: string, message: string) {
    super(message);
    this.exit = exit;
    this.code = code;
  }
}

export const usage = (message: string, code = "WOML_CLI_ARGUMENTS_INVALID"): Ending => new Ending(EXIT.usage, code, message);
