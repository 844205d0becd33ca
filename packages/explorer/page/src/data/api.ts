type Query = Readonly<Record<string, string | number | undefined>>;

/** The path of the API with a query; undefined values are left out. */
export function apiUrl(path: string, query: Query = {}): string {
  const given = Object.entries(query).flatMap(([name, value]) =>
    value === undefined || value === "" ? [] : [[name, String(value)]],
  );
  return given.length === 0 ? `/api/${path}` : `/api/${path}?${new URLSearchParams(given)}`;
}

/** Sends a GET request to the API. Rejects with the text of an error response. */
export async function get<T>(path: string, query: Query = {}, signal?: AbortSignal): Promise<T> {
  return (await (await checked(fetch(apiUrl(path, query), { signal: signal ?? null }))).json()) as T;
}

/** Posts to the API. Rejects as {@link get} does. */
export async function post<T>(path: string, body: unknown): Promise<T> {
  return (await (await checked(fetch(apiUrl(path), postOf(body)))).json()) as T;
}

/** Reads a streamed response line by line, each line one JSON object. */
export async function* lines<T>(
  path: string,
  { query, body, signal }: { query?: Query; body?: unknown; signal?: AbortSignal },
): AsyncGenerator<Awaited<T>> {
  const init = { ...(body !== undefined && postOf(body)), signal: signal ?? null };
  const { body: stream } = await checked(fetch(apiUrl(path, query), init));
  if (stream === null) return;
  let rest = "";
  for await (const chunk of stream.pipeThrough(new TextDecoderStream())) {
    const parts = (rest + chunk).split("\n");
    rest = parts.pop() ?? "";
    for (const part of parts) {
      const value = JSON.parse(part) as Awaited<T> & { kind?: string; error?: string };
      if (value.kind === "error") throw new Error(value.error ?? "It failed.");
      yield value;
    }
  }
}

/** The text of any thrown value. */
export function errorText(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

function postOf(body: unknown): RequestInit {
  return { method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify(body) };
}

async function checked(answer: Promise<Response>): Promise<Response> {
  let response: Response;
  try {
    response = await answer;
  } catch (error) {
    if (error instanceof DOMException) throw error;
    throw new Error("The explorer does not answer: is the command still running?");
  }
  if (response.ok) return response;
  const text = await response.text();
  throw new Error(text === "" ? noAccess : saidIn(text));
}

/** The server answers without a word to those whose cookie it does not know. */
const noAccess =
  "This page has lost its access: the program was started again. Press Enter in its terminal, and open the link that it prints.";

function saidIn(text: string): string {
  try {
    return (JSON.parse(text) as { error?: string }).error ?? text;
  } catch {
    return text;
  }
}
