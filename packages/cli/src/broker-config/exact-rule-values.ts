import { randomUUID } from "node:crypto";
import type { ServiceBusAdministrationClient } from "@azure/service-bus";
import type { RuleConstant } from "@waybill/broker";
import { typedText } from "@waybill/broker/front-end";
import { toFileForm } from "@waybill/broker-server/config";

/** Values of rules on their way through the SDK. */
export interface RuleValues {
  /** The form in a file of a value that the SDK has read. */
  toFile(value: unknown): unknown;
  /** The value that makes the SDK write a constant with its type. */
  toSdk(constant: RuleConstant): string;
}

const typedValue = /(<Value\b[^>]*?\btype="[^":]*):(\w+)("[^>]*>)([^<]*)(?=<\/Value>)/g;

const kept = new WeakMap<ServiceBusAdministrationClient, RuleValues>();

/**
 * Keeps the types of values of rules: the SDK of JavaScript reads no `long` and no `duration`, rounds times to ms, and writes every number as
 * `double`. On the wire the values have their types, in the SDK they are texts that begin with a mark and the type.
 */
export function keepRuleTypes(client: ServiceBusAdministrationClient): RuleValues {
  const values = kept.get(client) ?? withPolicy(client);
  kept.set(client, values);
  return values;
}

function withPolicy(client: ServiceBusAdministrationClient): RuleValues {
  const mark = `${randomUUID()}:`;
  const marked = new RegExp(`(type="[^":]*):string("[^>]*>)${mark}(\\w+):`, "g");
  const asMarked = (_: string, start: string, type: string, end: string, text: string) =>
    `${start}:string${end}${mark}${type}:${text}`;
  client.pipeline.addPolicy({
    name: "waybill-rule-types",
    async sendRequest(request, next) {
      if (typeof request.body === "string") {
        request.body = request.body.replace(marked, "$1:$3$2");
        request.headers.set("content-length", String(Buffer.byteLength(request.body)));
      }
      const response = await next(request);
      const { bodyAsText } = response;
      if (typeof bodyAsText === "string") response.bodyAsText = bodyAsText.replace(typedValue, asMarked);
      return response;
    },
  });
  return {
    toFile(value) {
      if (typeof value !== "string" || !value.startsWith(mark)) return value;
      const typed = value.slice(mark.length);
      const at = typed.indexOf(":");
      return toFileForm(typed.slice(0, at), typed.slice(at + 1));
    },
    toSdk(constant) {
      const [type, text] = typedText(constant);
      return `${mark}${type}:${text}`;
    },
  };
}
