import { createRequire } from "node:module";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { UsageError } from "../errors/usage-error.js";

/** The part of the SDK's `TokenCredential` that its clients call. */
export interface Credential {
  getToken(
    scopes: string | string[],
    options?: object,
  ): Promise<{ readonly token: string; readonly expiresOnTimestamp: number } | null>;
}

interface IdentityModule {
  readonly DefaultAzureCredential: new () => Credential;
}

/** In a constant, so that TypeScript does not resolve the import: it exists only if the user installed it. */
const identityPackage = "@azure/identity";

/** The default credential of Microsoft Entra ID on this machine. Throws `UsageError` if `@azure/identity` is not installed. */
export async function entraCredential(): Promise<Credential> {
  const { DefaultAzureCredential } = await importIdentity();
  return new DefaultAzureCredential();
}

/** The host of a namespace, given its name or host. Throws `UsageError` for anything else. */
export function namespaceHost(name: string): string {
  const host = name
    .trim()
    .replace(/^(?:sb|https|amqps):\/\//i, "")
    .replace(/\/+$/, "");
  if (!/^[a-z0-9](?:[a-z0-9.-]*[a-z0-9])?$/i.test(host))
    throw new UsageError(
      "--namespace takes a name, such as shop, or a host, such as shop.servicebus.windows.net.",
    );
  return host.includes(".") ? host : `${host}.servicebus.windows.net`;
}

/** Looks beside the command, then in the project of the working directory. */
async function importIdentity(): Promise<IdentityModule> {
  try {
    return (await import(identityPackage)) as IdentityModule;
  } catch (error) {
    if (!isMissing(error)) throw error;
  }
  try {
    const found = createRequire(join(process.cwd(), "waybill.js")).resolve(identityPackage);
    const module = (await import(pathToFileURL(found).href)) as IdentityModule & { default?: IdentityModule };
    return module.DefaultAzureCredential === undefined ? (module.default ?? module) : module;
  } catch (error) {
    if (!isMissing(error)) throw error;
    throw new UsageError(
      "--namespace signs in with Microsoft Entra ID, for which @azure/identity has to be installed: npm install @azure/identity. " +
        "Without it, set SERVICEBUS_CONNECTION_STRING.",
    );
  }
}

function isMissing(error: unknown): boolean {
  const { code } = error as { readonly code?: unknown };
  return code === "ERR_MODULE_NOT_FOUND" || code === "MODULE_NOT_FOUND";
}
