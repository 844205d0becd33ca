import type { ClaimCheckStore, EncryptionKeyProvider, WaybillClientOptions } from "@waybill/core";
import { decodeFailure, unavailableFailure } from "@waybill/core/serializer";
import { json } from "@waybill/serializer-json";

/** A dependency that can be switched off, and the options of a client that needs it. */
export interface Source {
  readonly state: {
    isUp: boolean;
    /** It responds only for this number, or from this number on. */
    onlyFor?: number | undefined;
    onlyFrom?: number | undefined;
    /** Whether a body turns out to be undeserializable once it responds. */
    isBroken?: ((n: number) => boolean) | undefined;
  };
  readonly options: Partial<WaybillClientOptions>;
}

function store(): Source {
  const state = { isUp: true };
  const bodies = new Map<string, Uint8Array>();
  const checked = <T>(work: () => T): Promise<T> =>
    state.isUp ? Promise.resolve(work()) : Promise.reject(new Error("The store is unreachable."));
  const claims: ClaimCheckStore = {
    put: (key, bytes) => checked(() => void bodies.set(key, bytes.slice())),
    get: (key) => checked(() => bodies.get(key)),
    delete: (key) => checked(() => void bodies.delete(key)),
  };
  return { state, options: { claimCheck: { store: claims, minBytes: 1 } } as Partial<WaybillClientOptions> };
}

function keys(): Source {
  const state = { isUp: true };
  const key = new Uint8Array(32);
  let asked = 0;
  const provider: EncryptionKeyProvider = {
    // Another key each time, so that none is cached.
    currentKey: () => ({ id: `k${++asked}`, key }),
    async findKey() {
      if (!state.isUp) throw new Error("The vault is unreachable.");
      return key;
    },
  };
  return {
    state,
    options: { encryption: { keys: provider, allowPlaintext: true } } as Partial<WaybillClientOptions>,
  };
}

export function registry(): Source {
  const state: Source["state"] = { isUp: true };
  const sound = json();
  const serializer: typeof sound = {
    ...sound,
    deserialize(bytes, context) {
      const value = sound.deserialize(bytes, context) as { readonly n: number };
      if (context.messageType !== "needs") return value;
      const { isUp, onlyFor = value.n, onlyFrom = 0, isBroken } = state;
      if (!isUp || onlyFor !== value.n || value.n < onlyFrom) {
        throw unavailableFailure("The registry is unreachable.");
      }
      if (isBroken?.(value.n)) throw decodeFailure("malformed", "It is not what the registry says.");
      return value;
    },
  };
  return { state, options: { serializer } };
}

/** The unavailable dependencies. */
export const sources = { store, keys, registry };
