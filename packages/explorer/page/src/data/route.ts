import { useEffect, useState } from "preact/hooks";

/** Where in the page one is: the parts of the hash. */
export type Route = readonly string[];

/** The address of a place in the page. */
export function href(...parts: readonly string[]): string {
  return `#/${parts.map(encodeURIComponent).join("/")}`;
}

/** The present place; changes with the hash. */
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
