import { checkGoldenMessages } from "@waybill/migration/golden";
import { type ExitCode, exitCodes } from "../../errors/exit-codes.js";
import { counted } from "../../output/counted.js";
import { type CommonOptions, openChain } from "../action-context.js";

export async function check(directory: string, options: CommonOptions): Promise<ExitCode> {
  const { pipeline, terminal } = await openChain(options);
  const result = await checkGoldenMessages({ pipeline, directory });
  const { checked, failures } = result;
  if (terminal.isJson) {
    terminal.json(result);
  } else {
    if (failures.length > 0) {
      terminal.table(
        ["GOLDEN MESSAGE", "FAILURE", "WHY"],
        failures.map(({ name, kind, text }) => [name, kind, text]),
      );
      terminal.line();
    }
    terminal.line(
      `${checked} checked, ${failures.length === 0 ? "all as before" : counted(failures.length, "failure")}`,
    );
  }
  return failures.length === 0 ? exitCodes.ok : exitCodes.found;
}
