import { runProgram } from "waybill-harness/programs.js";
import { programs } from "./programs.js";

await runProgram("reliability", programs);
