/** What a caller asked for cannot be done; the text says why, and the status is that of HTTP. */
export class RequestError extends Error {
  override readonly name = "RequestError";
  readonly status: number;

  constructor(status: number, text: string) {
    super(text);
    this.status = status;
  }
}
