/** A request as the handlers see it: nothing of sockets. */
export interface HttpRequest {
  /** In upper case. */
  readonly method: string;
  /** The path's segments, decoded, without empty ones. */
  readonly segments: readonly string[];
  readonly query: URLSearchParams;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly body: Uint8Array;
  /** Scheme and authority under which the client reached the server, such as `http://localhost:5672`. */
  readonly origin: string;
  /** Host and port of the origin. */
  readonly host: string;
}

/** What is answered. */
export interface HttpResponse {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array;
}
