import { describe, expect, it } from "vitest";
import { resolveServeOptions } from "./serve-options.js";

describe("resolveServeOptions", () => {
  it.each([
    [{ prot: 0 }, 'serve: there is no option "prot"; did you mean "port"?'],
    [{ acceptAnybody: true }, 'serve: there is no option "acceptAnybody"; did you mean "acceptAnyone"?'],
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

  it("accepts a certificate together with its CA", () => {
    const tls = { cert: "-", key: "-", ca: "-" };
    expect(resolveServeOptions({ tls })).toMatchObject({ tls: { cert: "-", key: "-" } });
  });

  it("accepts options that are undefined", () => {
    expect(resolveServeOptions({ port: 0, tls: undefined, limits: undefined })).toMatchObject({ port: 0 });
  });
});
