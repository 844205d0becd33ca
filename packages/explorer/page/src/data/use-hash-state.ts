import { useCallback } from "preact/hooks";
import { useQuery } from "./route.js";

/** A setting of the view that its address holds: undefined unless it stands in the query of the hash. Links and Back keep it. */
export function useHashState(name: string): readonly [string | undefined, (value: string) => void] {
  const query = useQuery();
  const set = useCallback(
    (value: string) => {
      // The first page may have no hash: a query alone would be loaded as another page.
      const [path = "", text = ""] = (location.hash || "#/").split("?");
      const changed = new URLSearchParams(text);
      if (value === "") changed.delete(name);
      else changed.set(name, value);
      const rest = changed.toString();
      location.replace(rest === "" ? path : `${path}?${rest}`);
    },
    [name],
  );
  return [query.get(name) ?? undefined, set];
}
