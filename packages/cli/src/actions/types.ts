import { contractOf, typeDeclarations } from "@waybill/migration/contract";
import type { ExitCode } from "../errors/exit-codes.js";
import { type CommonOptions, openChain } from "./action-context.js";
import { writeGenerated } from "./write-generated.js";

export interface TypesOptions extends CommonOptions {
  readonly check?: boolean;
}

export async function types(file: string, { check, ...options }: TypesOptions): Promise<ExitCode> {
  const { pipeline, terminal } = await openChain(options);
  const text = typeDeclarations(contractOf(pipeline, { service: "types" }));
  return await writeGenerated(terminal, file, text, { check, command: `waybill types ${file}` });
}
