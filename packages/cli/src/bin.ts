#!/usr/bin/env node
import { runAsProgram } from "./run-as-program.js";

await runAsProgram();
