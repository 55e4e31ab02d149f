/**
 * The platform refused, or could not be asked. `code` begins with WOML_; `status` is the HTTP status, 0 when nothing answered;
 * `details` are the further fields of the first error's extensions, such as `requestId`, `limit`, `actual` and `path`.
 */
export class ClientError extends Error {
  readonly code: string;
  readonly status: number;
  readonly details: Readonly<Record<string, unknown>>;

  constructor(code: string, message: string, status: number, details: Readonly<Record<string, unknown>> = {}) {
    super(message);
    this.name = "ClientError";
    this.code = code;
    this.status = status;
    this.details = details;
  }
}
