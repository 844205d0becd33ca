import { expect, it } from "vitest";
import { type ContractFinding, describeFinding, toGitHubAnnotations, toSarif } from "../../contract.js";

const finding = (more: Partial<ContractFinding>): ContractFinding => ({
  messageType: "order-placed",
  version: 2,
  serializer: "json",
  direction: "backward",
  baseline: "main",
  writer: "shop",
  reader: "billing",
  verdict: "incompatible",
  obstacles: [],
  trial: { tried: 7 },
  ...more,
});
const obstacles = [
  { kind: "breaks", path: "", text: "50 %, of all" },
  { kind: "breaks", path: "lines[]", text: "a list" },
] as const;
const counterexample = {
  value: { id: 2n ** 60n },
  stage: "validate",
  reason: "schema-violation",
  text: "It has no customer.",
};

const findings: readonly ContractFinding[] = [
  finding({ verdict: "compatible" }),
  finding({ obstacles, trial: { tried: 1, counterexample } }),
  finding({ direction: "forward", verdict: "not-decided", trial: { tried: 0, note: "nothing, to try" } }),
  finding({ direction: "forward" }),
  finding({
    direction: "forward",
    obstacles: [{ kind: "breaks", path: "", text: "billing does not know version 2: it reads 1" }],
  }),
  finding({ direction: "within", baseline: undefined }),
];

it("findings say in words what fails, by what evidence, and what to do", () => {
  expect(findings.map(describeFinding)).toMatchInlineSnapshot(`
    [
      {
        "advice": undefined,
        "evidence": [
          "by values: 7 were read as they were written",
        ],
        "title": "billing, as it is now, reads "order-placed" version 2 in json as shop (main) wrote it",
      },
      {
        "advice": "Messages of the baseline may wait in queues, scheduled or deferred. Give the change a new version with an upcaster, or make it one that old messages fit: a default, an optional property.",
        "evidence": [
          "by the schemas: 50 %, of all",
          "by the schemas: lines[]: a list",
          "by values: {"id":{"$bigint":"1152921504606846976"}} is written, and fails at the stage validate (schema-violation)",
          "It has no customer.",
        ],
        "title": "billing, as it is now, does not read "order-placed" version 2 in json as shop (main) wrote it",
      },
      {
        "advice": "Nothing was proved either way. Give both sides schemas that can be compared, keep a golden message of the case, or accept it with --allow-undecided.",
        "evidence": [
          "by values: nothing, to try",
        ],
        "title": "billing (main) may not read "order-placed" version 2 in json as shop writes it now",
      },
      {
        "advice": "Running readers would dead-letter these messages. Give the change a new version, deploy it to the readers first, and keep writing the old version with a write plan until they all have it.",
        "evidence": [
          "by values: 7 were read as they were written",
        ],
        "title": "billing (main) does not read "order-placed" version 2 in json as shop writes it now",
      },
      {
        "advice": "Deploy the readers first: add the version to them while the old one is written, then raise what is written with a write plan.",
        "evidence": [
          "by the schemas: billing does not know version 2: it reads 1",
          "by values: 7 were read as they were written",
        ],
        "title": "billing (main) does not read "order-placed" version 2 in json as shop writes it now",
      },
      {
        "advice": "Messages of version 2 may wait in queues. Mend the upcaster or downcaster, or the schema, until the chain reads them.",
        "evidence": [
          "by values: 7 were read as they were written",
        ],
        "title": "billing, as it is now, does not read its own messages "order-placed" version 2 in json",
      },
    ]
  `);
});

it.each([
  [398, 400, ""],
  [399, 400, "…"],
])("a value of %i letters and two quotes is shown by %i characters", (letters, shown, end) => {
  const value = "a".repeat(letters);
  const trial = { tried: 1, counterexample: { ...counterexample, value } };
  expect(describeFinding(finding({ trial })).evidence[0]).toBe(
    `by values: ${`"${value}"`.slice(0, shown)}${end} is written, and fails at the stage validate (schema-violation)`,
  );
});

it("findings are annotations of GitHub, whose texts are escaped", () => {
  expect(toGitHubAnnotations({ verdict: "incompatible", findings }, "a,b:c%.json")).toMatchInlineSnapshot(`
    "::error file=a%2Cb%3Ac%25.json,title=billing%2C as it is now%2C does not read "order-placed" version 2 in json as shop (main) wrote it::by the schemas: 50 %25, of all%0Aby the schemas: lines[]: a list%0Aby values: {"id":{"$bigint":"1152921504606846976"}} is written, and fails at the stage validate (schema-violation)%0AIt has no customer.%0AMessages of the baseline may wait in queues, scheduled or deferred. Give the change a new version with an upcaster, or make it one that old messages fit: a default, an optional property.
    ::warning file=a%2Cb%3Ac%25.json,title=billing (main) may not read "order-placed" version 2 in json as shop writes it now::by values: nothing, to try%0ANothing was proved either way. Give both sides schemas that can be compared, keep a golden message of the case, or accept it with --allow-undecided.
    ::error file=a%2Cb%3Ac%25.json,title=billing (main) does not read "order-placed" version 2 in json as shop writes it now::by values: 7 were read as they were written%0ARunning readers would dead-letter these messages. Give the change a new version, deploy it to the readers first, and keep writing the old version with a write plan until they all have it.
    ::error file=a%2Cb%3Ac%25.json,title=billing (main) does not read "order-placed" version 2 in json as shop writes it now::by the schemas: billing does not know version 2: it reads 1%0Aby values: 7 were read as they were written%0ADeploy the readers first: add the version to them while the old one is written, then raise what is written with a write plan.
    ::error file=a%2Cb%3Ac%25.json,title=billing%2C as it is now%2C does not read its own messages "order-placed" version 2 in json::by values: 7 were read as they were written%0AMessages of version 2 may wait in queues. Mend the upcaster or downcaster, or the schema, until the chain reads them.
    "
  `);
  expect(
    toGitHubAnnotations({ verdict: "incompatible", findings: [finding({ reader: "a\rb" })] }, "f"),
  ).toContain("title=a%0Db%2C as it is now");
});

it("findings are results of SARIF", () => {
  expect(toSarif({ verdict: "incompatible", findings }, "orders.json")).toMatchInlineSnapshot(`
    {
      "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
      "runs": [
        {
          "results": [
            {
              "level": "error",
              "locations": [
                {
                  "physicalLocation": {
                    "artifactLocation": {
                      "uri": "orders.json",
                    },
                    "region": {
                      "startLine": 1,
                    },
                  },
                },
              ],
              "message": {
                "text": "billing, as it is now, does not read "order-placed" version 2 in json as shop (main) wrote it.
    by the schemas: 50 %, of all
    by the schemas: lines[]: a list
    by values: {"id":{"$bigint":"1152921504606846976"}} is written, and fails at the stage validate (schema-violation)
    It has no customer.
    Messages of the baseline may wait in queues, scheduled or deferred. Give the change a new version with an upcaster, or make it one that old messages fit: a default, an optional property.",
              },
              "partialFingerprints": {
                "finding": "backward/main/order-placed/2/json",
              },
              "ruleId": "backward",
            },
            {
              "level": "warning",
              "locations": [
                {
                  "physicalLocation": {
                    "artifactLocation": {
                      "uri": "orders.json",
                    },
                    "region": {
                      "startLine": 1,
                    },
                  },
                },
              ],
              "message": {
                "text": "billing (main) may not read "order-placed" version 2 in json as shop writes it now.
    by values: nothing, to try
    Nothing was proved either way. Give both sides schemas that can be compared, keep a golden message of the case, or accept it with --allow-undecided.",
              },
              "partialFingerprints": {
                "finding": "forward/main/order-placed/2/json",
              },
              "ruleId": "forward",
            },
            {
              "level": "error",
              "locations": [
                {
                  "physicalLocation": {
                    "artifactLocation": {
                      "uri": "orders.json",
                    },
                    "region": {
                      "startLine": 1,
                    },
                  },
                },
              ],
              "message": {
                "text": "billing (main) does not read "order-placed" version 2 in json as shop writes it now.
    by values: 7 were read as they were written
    Running readers would dead-letter these messages. Give the change a new version, deploy it to the readers first, and keep writing the old version with a write plan until they all have it.",
              },
              "partialFingerprints": {
                "finding": "forward/main/order-placed/2/json",
              },
              "ruleId": "forward",
            },
            {
              "level": "error",
              "locations": [
                {
                  "physicalLocation": {
                    "artifactLocation": {
                      "uri": "orders.json",
                    },
                    "region": {
                      "startLine": 1,
                    },
                  },
                },
              ],
              "message": {
                "text": "billing (main) does not read "order-placed" version 2 in json as shop writes it now.
    by the schemas: billing does not know version 2: it reads 1
    by values: 7 were read as they were written
    Deploy the readers first: add the version to them while the old one is written, then raise what is written with a write plan.",
              },
              "partialFingerprints": {
                "finding": "forward/main/order-placed/2/json",
              },
              "ruleId": "forward",
            },
            {
              "level": "error",
              "locations": [
                {
                  "physicalLocation": {
                    "artifactLocation": {
                      "uri": "orders.json",
                    },
                    "region": {
                      "startLine": 1,
                    },
                  },
                },
              ],
              "message": {
                "text": "billing, as it is now, does not read its own messages "order-placed" version 2 in json.
    by values: 7 were read as they were written
    Messages of version 2 may wait in queues. Mend the upcaster or downcaster, or the schema, until the chain reads them.",
              },
              "partialFingerprints": {
                "finding": "within//order-placed/2/json",
              },
              "ruleId": "within",
            },
          ],
          "tool": {
            "driver": {
              "name": "waybill contract check",
              "rules": [
                {
                  "id": "backward",
                  "shortDescription": {
                    "text": "This commit reads what was written before it",
                  },
                },
                {
                  "id": "forward",
                  "shortDescription": {
                    "text": "Running readers read what this commit writes",
                  },
                },
                {
                  "id": "within",
                  "shortDescription": {
                    "text": "This commit reads every version that it says it reads",
                  },
                },
              ],
            },
          },
        },
      ],
      "version": "2.1.0",
    }
  `);
});
