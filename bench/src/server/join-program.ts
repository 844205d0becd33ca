import { rmSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { build } from "esbuild";
import { joinedBuild } from "waybill-release/pack/join-modules.js";
import { serverProgram } from "./start-server.js";

/**
 * Joins the modules of ours that the server's program loads, as they are in the packages that users install: see release/README.md. What is of others stays
 * where it is.
 */
export async function joinServerProgram(): Promise<{ readonly program: URL; remove(): void }> {
  const folder = fileURLToPath(new URL("../joined", import.meta.url));
  await build({
    ...joinedBuild,
    entryPoints: [fileURLToPath(serverProgram)],
    outdir: folder,
    plugins: [
      {
        name: "others stay where they are",
        setup({ onResolve }) {
          onResolve({ filter: /^[^./]/ }, ({ path, kind }) =>
            path.startsWith("@waybill/") || kind === "entry-point" ? undefined : { path, external: true },
          );
        },
      },
    ],
  });
  return {
    program: pathToFileURL(join(folder, "server-process.js")),
    remove: () => rmSync(folder, { recursive: true }),
  };
}
