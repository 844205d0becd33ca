import { acceptedState, releasedState } from "@waybill/amqp";
import { describe, expect, it } from "vitest";
import { SharedAnswers } from "./shared-answers.js";

function openAnswers() {
  const given: string[] = [];
  const answers = new SharedAnswers<string>(
    (delivery, state) => given.push(`${delivery} ${state?.kind}`),
    (delivery, error) => given.push(`${delivery} failed: ${(error as Error).message}`),
  );
  return { answers, given };
}

describe("SharedAnswers", () => {
  it("answers all that wait for one promise, in their order, with the state of each", async () => {
    const { answers, given } = openAnswers();
    let resolve = (): void => {};
    const promise = new Promise<void>((onResolve) => {
      resolve = onResolve;
    });
    answers.add(promise, "a", acceptedState);
    answers.add(promise, "b", acceptedState);
    answers.add(promise, "c", releasedState);
    answers.add(promise, "d");
    await Promise.resolve();
    expect(given).toEqual([]);
    resolve();
    await promise;
    expect(given).toEqual(["a accepted", "b accepted", "c released", "d undefined"]);
  });

  it("refuses only what failed", async () => {
    const { answers, given } = openAnswers();
    const done = Promise.resolve();
    answers.add(done, "a", acceptedState);
    answers.add(Promise.reject(new Error("no")), "b", acceptedState);
    answers.add(done, "c", acceptedState);
    await done;
    expect(given).toEqual(["a accepted", "b failed: no", "c accepted"]);
  });

  it("answers what is added after its promise was resolved, and nothing twice", async () => {
    const { answers, given } = openAnswers();
    const done = Promise.resolve();
    answers.add(done, "a", acceptedState);
    await done;
    answers.add(done, "b", acceptedState);
    await done;
    expect(given).toEqual(["a accepted", "b accepted"]);
  });
});
