/** Which dead letters to take. */
export interface SelectionOptions {
  readonly reason?: readonly string[];
  readonly messageType?: readonly string[];
  readonly format?: readonly string[];
  readonly number?: readonly bigint[];
}
