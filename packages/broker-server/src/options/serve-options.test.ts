import { describe, expect, it } from "vitest";
import { resolveServeOptions } from "./serve-options.js";

describe("resolveServeOptions", () => {
  it.each([
    [{ prot: 0 }, 'serve: there is no option "prot"; did you mean "port"?'],
    [{ acceptAnybody: true }, 'serve: there is no option "acceptAnybody"; did you mean "acceptAnyone"?'],
    [
      { tls: { cert: "", key: "", allowPlainText: true } },
      'serve: tls: there is no option "allowPlainText"; did you mean "allowPlain"?',
    ],
    [
      { idleTimeouts: { linksMs: 1 } },
      'serve: idleTimeouts: there is no option "linksMs"; did you mean "linkMs"?',
    ],
    [
      { limits: { unauthenticated: { connection: 1 } } },
      'serve: limits.unauthenticated: there is no option "connection"; did you mean "connections"?',
    ],
  ])("refuses misspelt options: %j", (options, text) => {
    expect(() => resolveServeOptions(options as object)).toThrow(new TypeError(text));
  });

  it("takes options that are undefined", () => {
    expect(resolveServeOptions({ port: 0, tls: undefined, limits: undefined })).toMatchObject({ port: 0 });
  });
});
