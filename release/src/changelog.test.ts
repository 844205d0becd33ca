import { describe, expect, it } from "vitest";
import { datedChangelog, isReleased } from "./changelog.js";

const unreleased = "# Changelog\n\n## 0.2.0 (unreleased)\n\n- New.\n\n## 0.1.0 (2026-01-02)\n";

describe("datedChangelog", () => {
  it("sets version and date of the unreleased entries", () => {
    const dated = datedChangelog(unreleased, "0.3.0", "2026-02-03");
    expect(dated).toBe("# Changelog\n\n## 0.3.0 (2026-02-03)\n\n- New.\n\n## 0.1.0 (2026-01-02)\n");
    expect([isReleased(dated, "0.3.0"), isReleased(dated, "0.1.0"), isReleased(unreleased, "0.2.0")]).toEqual(
      [true, false, false],
    );
  });

  it("refuses an invalid version, and a changelog with nothing new", () => {
    expect(() => datedChangelog(unreleased, "next", "2026-02-03")).toThrow('"next" is not a version');
    const dated = datedChangelog(unreleased, "0.3.0", "2026-02-03");
    expect(() => datedChangelog(dated, "0.4.0", "2026-02-03")).toThrow("nothing unreleased");
  });
});
