/** Which dead letters to select. */
export interface SelectionOptions {
  readonly reason?: readonly string[];
  readonly messageType?: readonly string[];
  readonly format?: readonly string[];
  readonly number?: readonly bigint[];
}
