import { readFileSync } from "node:fs";
import { metrics } from "@opentelemetry/api";
import { PrometheusExporter, PrometheusSerializer } from "@opentelemetry/exporter-prometheus";
import { MeterProvider } from "@opentelemetry/sdk-metrics";
import { parser } from "@prometheus-io/lezer-promql";
import type { UndeserializableEvent } from "@waybill/core";
import type { DeserializeEvent } from "@waybill/core/diagnostics";
import { beforeAll, describe, expect, it } from "vitest";
import { parse } from "yaml";
import { operations } from "./attributes.js";
import { openFixture, until } from "./fixture.test-support.js";
import { openTelemetry } from "./index.js";

interface Rule {
  readonly alert: string;
  readonly expr: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations: Readonly<Record<string, string>>;
}

interface Panel {
  readonly id: number;
  readonly title: string;
  readonly gridPos: Readonly<Record<"x" | "y" | "w" | "h", number>>;
  readonly targets?: readonly { readonly expr: string; readonly legendFormat: string }[];
}

const folder = new URL("../../../docs/grafana/", import.meta.url);
const dashboard = JSON.parse(readFileSync(new URL("dashboard.json", folder), "utf8")) as {
  readonly panels: readonly Panel[];
  readonly templating: { readonly list: readonly { readonly name: string; readonly query: unknown }[] };
};
const alerts = parse(readFileSync(new URL("alerts.yaml", folder), "utf8")) as {
  readonly groups: readonly { readonly rules: readonly Rule[] }[];
};
const rules = alerts.groups.flatMap((group) => group.rules);
const targets = dashboard.panels.flatMap((panel) => panel.targets ?? []);

/** The values that queries may ask for, where a label has a fixed set of them. */
const dispositions: Readonly<Record<UndeserializableEvent["disposition"], true>> = {
  deadLettered: true,
  held: true,
  deferred: true,
  abandoned: true,
  quarantined: true,
  handedOver: true,
  blocked: true,
  unsettled: true,
};
const outcomes: Readonly<Record<DeserializeEvent["outcome"], true>> = {
  decoded: true,
  undeserializable: true,
  unavailable: true,
};
const fixedValues: Readonly<Record<string, readonly string[]>> = {
  waybill_disposition: Object.keys(dispositions),
  waybill_outcome: Object.keys(outcomes),
  messaging_operation_name: Object.values(operations).map(({ name }) => name),
};

/** Each metric that a client exports to Prometheus, with its labels. */
const exported = new Map<string, ReadonlySet<string>>();

beforeAll(async () => {
  const exporter = new PrometheusExporter({ preventServerStart: true });
  metrics.setGlobalMeterProvider(new MeterProvider({ readers: [exporter] }));
  const diagnostics = openTelemetry();
  const unread: UndeserializableEvent[] = [];
  await using fixture = await openFixture({
    diagnostics,
    onUndeserializable: (event) => void unread.push(event),
  });
  const orders = fixture.client.createSender("orders");
  await orders.sendMessages([{ body: {}, subject: "order" }, { body: {} }]);
  await orders.sendEncodedMessages({ body: Uint8Array.of(0xff), contentType: "application/json" });
  await expect(fixture.client.createSender("nowhere").sendMessages({ body: {} })).rejects.toThrow();
  const errors: unknown[] = [];
  fixture.client.createReceiver("orders").subscribe({
    processMessage: ({ subject }) => {
      if (subject === undefined) throw new TypeError("no subject");
    },
    processError: ({ error }) => void errors.push(error),
  });
  // The broker gives out the failed message until its ten deliveries are used up.
  await until(() => errors.length >= 10 && unread.length === 1);
  const stall = { sessionId: undefined, credit: 1, silenceInMs: 30_000, evidence: "backlog" } as const;
  diagnostics.onEvent?.({ type: "linkStalled", entityPath: "orders", ...stall });
  const { resourceMetrics } = await exporter.collect();
  for (const line of new PrometheusSerializer().serialize(resourceMetrics).split("\n")) {
    const [, name, labels] = /^(\w+)\{(.*)\} /.exec(line) ?? [];
    if (name === undefined || labels === undefined) continue;
    const names = [...labels.matchAll(/(\w+)="/g)].map(([, label = ""]) => label);
    exported.set(name, new Set([...(exported.get(name) ?? []), ...names]));
  }
  await exporter.shutdown();
  metrics.disable();
});

describe.each([...targets.map(({ expr }) => expr), ...rules.map(({ expr }) => expr)])(
  "the query %s",
  (query) => {
    it("is PromQL over metrics, labels and values that a client exports", () => {
      const { selectors, labels } = analyse(query);
      expect(selectors.length).toBeGreaterThan(0);
      const known = new Set<string>();
      for (const { metric, matchers } of selectors) {
        const found = [...exported].filter(([name]) => metric.test(name));
        expect(
          found.map(([name]) => name),
          `${metric}`,
        ).not.toEqual([]);
        const names = found.flatMap(([, each]) => [...each]);
        for (const name of names) known.add(name);
        for (const { label, operator, value } of matchers) {
          expect(names).toContain(label);
          const values = fixedValues[label];
          const alternatives = operator.endsWith("~") ? value.split("|") : [value];
          if (values !== undefined) expect(values).toEqual(expect.arrayContaining(alternatives));
        }
      }
      for (const label of labels) expect([...known]).toContain(label);
    });
  },
);

describe("the dashboard", () => {
  it("shows every metric", () => {
    const queries = targets.flatMap(({ expr }) => analyse(expr).selectors.map(({ metric }) => metric));
    const unseen = [...exported.keys()].filter(
      (name) => /^(messaging|waybill)_/.test(name) && !/_(sum|bucket|count)$/.test(name),
    );
    expect(unseen.filter((name) => !queries.some((metric) => metric.test(name)))).toEqual([]);
  });

  it("names in its legends only labels that the query keeps", () => {
    for (const { expr, legendFormat } of targets) {
      const used = [...legendFormat.matchAll(/\{\{(\w+)\}\}/g)].map(([, label]) => label);
      expect(analyse(expr).labels, expr).toEqual(expect.arrayContaining(used));
    }
  });

  it("asks for entities that there are", () => {
    const [, metric = "", label = ""] = /label_values\((\w+), (\w+)\)/.exec(
      JSON.stringify(dashboard.templating.list),
    )!;
    expect([...(exported.get(metric) ?? [])]).toContain(label);
  });

  it("has panels that do not overlap", () => {
    const taken = new Set<string>();
    for (const { gridPos, title } of dashboard.panels) {
      for (let x = gridPos.x; x < gridPos.x + gridPos.w; x++) {
        expect(x, title).toBeLessThan(24);
        for (let y = gridPos.y; y < gridPos.y + gridPos.h; y++) {
          expect(taken, title).not.toContain(`${x},${y}`);
          taken.add(`${x},${y}`);
        }
      }
    }
    expect(new Set(dashboard.panels.map(({ id }) => id)).size).toBe(dashboard.panels.length);
  });
});

describe("the alerts", () => {
  it("are those of the page on observability", () => {
    const page = readFileSync(new URL("../observability.md", folder), "utf8");
    const listed = [...page.matchAll(/^\| `(Waybill\w+)`/gm)].map(([, name]) => name);
    expect(listed).toEqual(rules.map(({ alert }) => alert));
  });

  it("have a severity and say what is wrong, with labels that the query keeps", () => {
    for (const { alert, expr, labels, annotations } of rules) {
      expect(["critical", "warning"], alert).toContain(labels.severity);
      const used = [
        ...Object.values(annotations)
          .join()
          .matchAll(/\$labels\.(\w+)/g),
      ].map(([, label]) => label);
      expect(used.length, alert).toBeGreaterThan(0);
      expect(analyse(expr).labels, alert).toEqual(expect.arrayContaining(used));
    }
  });
});

interface Selector {
  readonly metric: RegExp;
  readonly matchers: readonly { readonly label: string; readonly operator: string; readonly value: string }[];
}

/** What a query selects, and the labels by which it groups. Throws if it is not PromQL, by Prometheus' own grammar. */
function analyse(query: string): { selectors: readonly Selector[]; labels: readonly string[] } {
  // Grafana puts durations in the place of its variables.
  const text = query.replace(/\$__(range|rate_interval)/g, "5m");
  const selectors: { metric: RegExp; matchers: { label: string; operator: string; value: string }[] }[] = [];
  const labels: string[] = [];
  parser.parse(text).iterate({
    enter({ type, node, from, to }) {
      const source = text.slice(from, to);
      if (type.isError) throw new SyntaxError(`"${text}" is not PromQL at ${from}.`);
      if (type.name === "VectorSelector") selectors.push({ metric: /^$/, matchers: [] });
      const selector = selectors.at(-1);
      if (type.name === "Identifier" && selector !== undefined) selector.metric = new RegExp(`^${source}$`);
      if (type.name === "UnquotedLabelMatcher" && selector !== undefined) {
        const [label = "", operator = "", value = ""] = ["LabelName", "MatchOp", "StringLiteral"].map(
          (name) => {
            const child = node.getChild(name);
            return child === null ? "" : text.slice(child.from, child.to);
          },
        );
        const plain = value.slice(1, -1);
        if (label === "__name__") selector.metric = new RegExp(`^(?:${plain})$`);
        else selector.matchers.push({ label, operator, value: plain });
      }
      if (type.name === "LabelName" && node.parent?.name === "GroupingLabels") labels.push(source);
    },
  });
  return { selectors, labels: labels.filter((label) => label !== "le") };
}
