import { expect, it } from "vitest";
import { claims } from "./media-type-claims.js";

it("claims a content type by its media type or by its suffix, and none that cannot be read", () => {
  expect(claims(["application/json"], "Application/JSON; charset=utf-8")).toBe(true);
  expect(claims(["application/json", "+json"], "application/vnd.order+json")).toBe(true);
  expect(claims(["application/json"], "application/vnd.order+json")).toBe(false);
  expect(claims(["application/json"], "application/xml")).toBe(false);
  expect(claims(["application/json"], "")).toBe(false);
});
