export type RefusalCode =
  | "WOML_DATABASE_UNAVAILABLE"
  | "WOML_DATA_FOLDER_IN_USE"
  | "WOML_DATA_FOLDER_UNUSABLE"
  | "WOML_KEYS_UNREADABLE"
  | "WOML_PLUGIN_HOST_UNAVAILABLE"
  | "WOML_PORT_TAKEN"
  | "WOML_POSTGRES_UNAVAILABLE"
  | "WOML_SANDBOX_UNAVAILABLE"
  | "WOML_SEAL_UNREADABLE"
  | "WOML_START_INTERRUPTED";

/** Why the platform does not start: one sentence for the person at the terminal, and a code for programs. */
export class Refusal extends Error {
  override readonly name = "Refusal";
  readonly code: RefusalCode;

  constructor(code: RefusalCode, message: string) {
    super(message);
    this.code = code;
  }
}
