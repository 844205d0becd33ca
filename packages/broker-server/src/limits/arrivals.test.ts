import { Socket } from "node:net";
import { setImmediate as nextLook } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { Arrivals } from "./arrivals.js";
import { Turns, Usage } from "./turns.js";

function openArrivals(count: number) {
  const arrivals = new Arrivals(new Turns(), new Usage());
  const sockets = Array.from({ length: count }, () => new Socket());
  const admitted: Socket[] = [];
  for (const socket of sockets) arrivals.add(socket, () => admitted.push(socket));
  return { arrivals, sockets, admitted };
}

describe("sockets that are opened at the same time", () => {
  it("are handled a few at a time, in order, with a check of all sockets in between", async () => {
    const { sockets, admitted } = openArrivals(100);
    expect(admitted).toEqual([]);
    const steps: number[] = [];
    while (admitted.length < sockets.length) {
      const before = admitted.length;
      await nextLook();
      steps.push(admitted.length - before);
    }
    expect(Math.max(...steps)).toBe(16);
    expect(admitted).toEqual(sockets);
  });

  it("are skipped if they were closed before", async () => {
    const { sockets, admitted } = openArrivals(50);
    for (const socket of sockets.slice(0, 40)) socket.destroy();
    await nextLook();
    expect(admitted).toEqual(sockets.slice(40));
  });

  it("are closed with the server", async () => {
    const { arrivals, sockets, admitted } = openArrivals(50);
    arrivals.close();
    await nextLook();
    expect(admitted).toEqual([]);
    expect(sockets.every(({ destroyed }) => destroyed)).toBe(true);
  });
});
