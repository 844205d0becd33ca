import type { CensusHistory } from "../census/census-history.js";
import type { RepairJobs } from "../changes/repair-jobs.js";
import type { ExplorerContext } from "../options/explorer-options.js";
import type { SeenMessages } from "../search/seen-messages.js";
import type { Fields } from "../wire/fields.js";
import type { LineStream } from "./line-stream.js";

/** The dependencies of all routes. */
export interface Parts {
  readonly context: ExplorerContext;
  readonly history: CensusHistory;
  readonly jobs: RepairJobs;
  readonly seen: SeenMessages;
}

/** One request. */
export interface Call extends Parts {
  /** The query of a GET, the body of a POST. */
  readonly fields: Fields;
  readonly body: unknown;
  /** Aborts when the caller disconnects or the explorer closes. */
  readonly abortSignal: AbortSignal;
}

/** A request handler: answers with one JSON value, a file to download, or a stream of lines. */
export type Route =
  | ({ readonly kind: "json"; answer(call: Call): unknown } & RouteSettings)
  | { readonly kind: "download"; answer(call: Call): Promise<Download> }
  | ({ readonly kind: "lines"; answer(call: Call, lines: LineStream): Promise<void> } & RouteSettings);

/** What a route allows: changes only if the explorer does, and larger bodies. */
interface RouteSettings {
  readonly isChange?: true;
  readonly maxBytes?: number;
}

/** A route that answers with one JSON value. */
export function json(answer: (call: Call) => unknown, settings: RouteSettings = {}): Route {
  return { kind: "json", answer, ...settings };
}

/** A file to download, which browsers must not show. */
export interface Download {
  readonly name: string;
  readonly content: Uint8Array | string;
}

/** Routes by method and path: `GET /api/entities`. */
export type Routes = Readonly<Record<string, Route>>;
