import { describe, expect, it } from "vitest";
import { compileCorrelationFilter } from "./correlation-filter.js";
import { RuleSyntaxError } from "./evaluation/rule-error.js";
import { ruleSubject } from "./evaluation/rule-subject.js";
import { opaque, type RuleValue, ruleGuid, ruleTimeSpan } from "./evaluation/rule-value.js";

const guid = "6f9619ff-8b86-d011-b42d-00c04fc964ff";

describe("correlation filter", () => {
  it("compares each system property of the filter", () => {
    const message = ruleSubject({
      system: {
        ContentType: "application/json",
        CorrelationId: "c",
        MessageId: "m",
        ReplyTo: "r",
        ReplyToSessionId: "rs",
        SessionId: "s",
        Label: "l",
        To: "t",
      },
    });
    const filter = {
      contentType: "application/json",
      correlationId: "c",
      messageId: "m",
      replyTo: "r",
      replyToSessionId: "rs",
      sessionId: "s",
      subject: "l",
      to: "t",
    };
    expect(compileCorrelationFilter(filter)(message)).toBe(true);
    for (const field of Object.keys(filter)) {
      expect(compileCorrelationFilter({ ...filter, [field]: "other" })(message), field).toBe(false);
    }
  });

  it("matches if all conditions are met", () => {
    const matches = compileCorrelationFilter({ subject: "red", properties: { size: 5n } });
    const result = [
      { system: { Label: "red" }, application: { size: 5n } },
      { system: { Label: "red" }, application: { size: 6n } },
      { system: { Label: "blue" }, application: { size: 5n } },
      { system: { Label: "red" } },
    ].map((properties) => matches(ruleSubject(properties)));
    expect(result).toEqual([true, false, false, false]);
  });

  it("compares text case-sensitively", () => {
    expect(compileCorrelationFilter({ subject: "Red" })(ruleSubject({ system: { Label: "red" } }))).toBe(
      false,
    );
  });

  it("finds application properties in any letter case", () => {
    const matches = compileCorrelationFilter({ properties: new Map([["Color", "red"]]) });
    expect(matches(ruleSubject({ application: { cOLOR: "red" } }))).toBe(true);
  });

  it("does not match if one of its properties is not set", () => {
    expect(compileCorrelationFilter({ messageId: "" })(ruleSubject({}))).toBe(false);
    expect(compileCorrelationFilter({ properties: { a: "" } })(ruleSubject({}))).toBe(false);
  });

  it.each<[string, RuleValue, RuleValue, boolean]>([
    ["an integer with the same double", 5n, 5, true],
    ["a double with the same integer", 5, 5n, true],
    ["a double with another integer", 5.5, 5n, false],
    ["a number with its text", 5n, "5", false],
    ["booleans", true, true, true],
    ["a boolean with a number", true, 1n, false],
    ["instants", new Date(1000), new Date(1000), true],
    ["bytes by content", Uint8Array.of(1, 2), Uint8Array.of(1, 2), true],
    ["bytes of another length", Uint8Array.of(1, 2), Uint8Array.of(1), false],
    ["GUIDs", ruleGuid(guid), ruleGuid(guid.toUpperCase()), true],
    ["time spans", ruleTimeSpan(7n), ruleTimeSpan(7n), true],
    ["values that it cannot read", opaque, opaque, false],
    ["null with null", null, null, true],
    ["null with text", null, "", false],
  ])("compares %s", (_, wanted, value, expected) => {
    const matches = compileCorrelationFilter({ properties: { a: wanted } });
    expect(matches(ruleSubject({ application: { a: value } }))).toBe(expected);
  });

  it("refuses to be empty", () => {
    expect(() => compileCorrelationFilter({ subject: null, properties: {} })).toThrow(RuleSyntaxError);
  });
});
