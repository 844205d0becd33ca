import { useEffect, useState } from "preact/hooks";

/** The current view: the parts of the hash. */
export type Route = readonly string[];

/** The address of a view. */
export function href(...parts: readonly string[]): string {
  return `#/${parts.map(encodeURIComponent).join("/")}`;
}

/** The current view; changes with the hash. */
export function useRoute(): Route {
  const [route, setRoute] = useState(readRoute);
  useEffect(() => {
    const onChange = () => setRoute(readRoute());
    addEventListener("hashchange", onChange);
    return () => removeEventListener("hashchange", onChange);
  }, []);
  return route;
}

function readRoute(): Route {
  const parts = location.hash.replace(/^#\/?/, "").split("/");
  return parts.map(decoded).filter((part) => part !== "");
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return "";
  }
}
