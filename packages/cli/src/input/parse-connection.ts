import { UsageError } from "../errors/usage-error.js";

/** A namespace among several: the name that stands before its entities, and where it is. */
export interface NamedConnection {
  readonly name: string;
  /** The environment variable that holds its connection string, or its host, to sign in to with Microsoft Entra ID. */
  readonly place: { readonly variable: string } | { readonly host: string };
}

/** `shop=SHOP_CONNECTION_STRING` or `shop=shop.servicebus.windows.net`. Repeats nothing that may be a key. */
export function parseConnection(text: string): NamedConnection {
  const [, name = "", place = ""] = /^([\w.-]+)=(.*)$/s.exec(text) ?? [];
  if (/[;\s]|sharedaccess/i.test(text))
    throw new UsageError(
      "--connection takes no connection string: other users can see command lines. Put it into an environment variable, and name that: shop=SHOP_CONNECTION_STRING.",
    );
  if (/^[A-Za-z_]\w*$/.test(place)) return { name, place: { variable: place } };
  if (/^[A-Za-z0-9-]+(\.[A-Za-z0-9-]+)+$/.test(place)) return { name, place: { host: place } };
  throw new UsageError(
    "--connection takes a name with an environment variable, as in shop=SHOP_CONNECTION_STRING, or with a host, as in shop=shop.servicebus.windows.net.",
  );
}
