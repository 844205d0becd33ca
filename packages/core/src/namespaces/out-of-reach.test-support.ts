import { type Transport, WaybillError } from "@waybill/core";

/** A transport that loses its connection while `isOut`: every call of its senders and receivers rejects. */
export function sometimesOutOfReach(transport: Transport, isOut: () => boolean): Transport {
  const isCall = (key: string | symbol) => key !== "close" && key !== "subscribe" && key !== "links";
  const part = <Part extends object>(inner: Part): Part =>
    withMembers(inner, (key, member) =>
      isCall(key) && isOut()
        ? () => Promise.reject(new WaybillError("connection-lost", "The broker is gone."))
        : member,
    );
  return withMembers(transport, (key, member) => {
    if (key === "acceptSession") {
      return async (...args: unknown[]) => {
        if (isOut()) throw new WaybillError("connection-lost", "The broker is gone.");
        return part((await member(...args)) as object);
      };
    }
    if (key !== "createSender" && key !== "createReceiver") return member;
    return (...args: unknown[]) => part(member(...args) as object);
  });
}

type Member = (...args: unknown[]) => unknown;

function withMembers<Target extends object>(
  target: Target,
  replaced: (key: string | symbol, member: Member) => Member,
): Target {
  return new Proxy(target, {
    get(inner, key) {
      const member: unknown = Reflect.get(inner, key, inner);
      return typeof member === "function" ? replaced(key, member.bind(inner)) : member;
    },
  });
}
