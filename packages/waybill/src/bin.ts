#!/usr/bin/env node
import { runAsProgram } from "@waybill/cli/command";

await runAsProgram();
