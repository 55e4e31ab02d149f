/** What came back, whatever the status. Bodies are decoded (gzip, deflate, br); header names are in lower case. */
export interface Response {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly bodyBase64: string;
  readonly url: string;
  readonly redirected: boolean;
}

/**
 * What became of a request. `refused`: against the rules, and nothing left. `failed`: nothing can have happened, because no byte of a request
 * left or the operation is one that only reads. `ambiguous`: a byte of a request of an operation with effects may have left, and no whole
 * answer came that could be told.
 */
export type BrokerAnswer =
  | { readonly status: "answered"; readonly response: Response }
  | { readonly status: "refused"; readonly code: EgressCode; readonly message: string }
  | { readonly status: "failed"; readonly code: EgressCode; readonly message: string; readonly retryable: boolean }
  | { readonly status: "ambiguous"; readonly code: EgressCode; readonly message: string };

/** Public; each has a row in docs/codes.md. */
export type EgressCode =
  | "WOML_EGRESS_REQUEST_INVALID"
  | "WOML_EGRESS_URL_INVALID"
  | "WOML_EGRESS_HEADER_FORBIDDEN"
  | "WOML_EGRESS_HEADER_INVALID"
  | "WOML_EGRESS_HOST_UNDECLARED"
  | "WOML_EGRESS_PORT_UNDECLARED"
  | "WOML_EGRESS_METHOD_UNDECLARED"
  | "WOML_EGRESS_METHOD_FORBIDDEN"
  | "WOML_EGRESS_ADDRESS_FORBIDDEN"
  | "WOML_EGRESS_KEY_MISSING"
  | "WOML_EGRESS_SECRET_UNDECLARED"
  | "WOML_EGRESS_SECRET_MISSING"
  | "WOML_EGRESS_SECRET_MISPLACED"
  | "WOML_EGRESS_REQUEST_TOO_LARGE"
  | "WOML_EGRESS_REDIRECT_REFUSED"
  | "WOML_EGRESS_DNS_FAILED"
  | "WOML_EGRESS_CONNECT_FAILED"
  | "WOML_EGRESS_TLS_FAILED"
  | "WOML_EGRESS_TIMEOUT"
  | "WOML_EGRESS_CANCELLED"
  | "WOML_EGRESS_BUSY"
  | "WOML_EGRESS_ANSWER_LOST"
  | "WOML_EGRESS_ANSWER_TOO_LARGE"
  | "WOML_EGRESS_ANSWER_INVALID";

/** The request breaks a rule. Thrown within the broker, caught at its door. */
export class Refusal extends Error {
  override readonly name = "Refusal";
  readonly code: EgressCode;
  constructor(code: EgressCode, message: string) {
    super(message);
    this.code = code;
  }
}
/** The world did not answer, or not in a way that can be told. Thrown within the broker, caught at its door. */
export class Loss extends Error {
  override readonly name = "Loss";
  readonly code: EgressCode;
  constructor(code: EgressCode, message: string) {
    super(message);
    this.code = code;
  }
}
