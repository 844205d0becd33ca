/** A refusal that arises from HTTP itself, with the status that it is answered with. */
export class HttpRefusal extends Error {
  override readonly name = "HttpRefusal";
  readonly status: number;

  constructor(status: number, text: string) {
    super(text);
    this.status = status;
  }
}
