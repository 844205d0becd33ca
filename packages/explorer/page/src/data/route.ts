import { useEffect, useState } from "preact/hooks";

/** The current view: the parts of the hash. */
export type Route = readonly string[];

/** The address of a view. */
export function href(...parts: readonly string[]): string {
  return `#/${parts.map(encodeURIComponent).join("/")}`;
}

/** Goes to a view; `query` holds its settings. */
export function goTo(parts: readonly string[], query: URLSearchParams): void {
  const text = query.toString();
  location.hash = text === "" ? href(...parts) : `${href(...parts)}?${text}`;
}

/** The current view; changes with the hash. */
export function useRoute(): Route {
  return useHash(readRoute);
}

/** The query of the hash: settings of the current view. */
export function useQuery(): URLSearchParams {
  return useHash(readQuery);
}

function useHash<Value>(read: () => Value): Value {
  const [value, setValue] = useState(read);
  useEffect(() => {
    const onChange = () => setValue(read);
    addEventListener("hashchange", onChange);
    return () => removeEventListener("hashchange", onChange);
  }, []);
  return value;
}

function readQuery(): URLSearchParams {
  return new URLSearchParams(location.hash.split("?")[1] ?? "");
}

function readRoute(): Route {
  const [path = ""] = location.hash.split("?");
  const parts = path.replace(/^#\/?/, "").split("/");
  return parts.map(decoded).filter((part) => part !== "");
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return "";
  }
}
