import type { TreeOption, WalkedCommand } from "./command-tree.js";
import { bad, type WalkCase } from "./walk-case.js";

/** A text that no option with rules for its value takes. */
const wrongValue = "wr:ong";

/** Bad uses that follow from the command itself: an option that does not exist, no value, a value that cannot be, a missing argument, one too many. */
export function derivedCases({ path, command }: WalkedCommand): WalkCase[] {
  const name = path.join(" ");
  const isGroup = command.commands.length > 0;
  const required = command.registeredArguments.filter((argument) => argument.required);
  const cases = [bad(`${name} --no-such-option`.trim())];
  if (isGroup && name !== "entities" && name !== "broker") cases.push(bad(`${name} no-such-command`.trim()));
  if (required.length > 0) cases.push(bad(name));
  const words = required.map(() => "orders").join(" ");
  for (const option of command.options.filter(hasValue)) {
    const flag = option.long ?? option.short ?? "";
    if (option.required) cases.push(bad(`${name} ${words} ${flag}`.replace(/ +/g, " ").trim()));
    if (refusesWrong(option))
      cases.push(bad(`${name} ${words} ${flag}=${wrongValue}`.replace(/ +/g, " ").trim()));
  }
  return cases;
}

/** Whether the option has a value. */
function hasValue({ required, optional }: TreeOption): boolean {
  return required || optional;
}

function refusesWrong({ argChoices, parseArg }: TreeOption): boolean {
  if (argChoices !== undefined) return true;
  if (parseArg === undefined) return false;
  try {
    parseArg(wrongValue, undefined);
    return false;
  } catch {
    return true;
  }
}
