import type { ByteReader } from "../codec/byte-reader.js";
import type { ByteWriter } from "../codec/byte-writer.js";
import { readComposite, readDescriptor } from "../codec/composite.js";
import { saslFrame, writeFrame } from "../frames/frame.js";
import {
  saslChallengeType,
  saslInitType,
  saslMechanismsType,
  saslOutcomeType,
  saslResponseType,
} from "../frames/performatives.js";

/** A server-side SASL mechanism (5.3). */
export interface SaslMechanism {
  /** Its name in capitals, for example "PLAIN". */
  readonly name: string;
  /** Checks the client's initial response. `hostname` is the host it wants to reach. Must not throw. */
  start(initialResponse: Uint8Array | undefined, hostname: string | undefined): SaslStep;
}

/** The result of a step of a mechanism. */
export type SaslStep =
  | { readonly kind: "ok"; readonly identity?: string; readonly additionalData?: Uint8Array }
  | { readonly kind: "refused" }
  | {
      readonly kind: "challenge";
      readonly challenge: Uint8Array;
      respond(response: Uint8Array): SaslStep;
    };

/** The SASL credentials of a client. */
export interface SaslCredentials {
  /** The mechanism's name, such as `"PLAIN"`. */
  readonly mechanism: string;
  /** Sent with sasl-init (5.3.3.2). Default none. */
  readonly initialResponse?: Uint8Array;
}

/** ANONYMOUS (RFC 4505): accepts anyone; the identity is the trace text, if any. */
export function saslAnonymous(): SaslMechanism {
  return {
    name: "ANONYMOUS",
    start: (trace) => ok(trace?.length ? Buffer.from(trace).toString() : undefined),
  };
}

/** MSSBCBS, the mechanism of clients that put a token on `$cbs` afterwards: accepts anyone. */
export function saslCbs(): SaslMechanism {
  return { name: "MSSBCBS", start: () => ok(undefined) };
}

/** PLAIN (RFC 4616): `verify` returns whether user name and password are valid. */
export function saslPlain(verify: (user: string, password: string) => boolean): SaslMechanism {
  return {
    name: "PLAIN",
    start(initialResponse) {
      const parts = Buffer.from(initialResponse ?? [])
        .toString()
        .split("\0");
      const [, user, password] = parts;
      if (parts.length !== 3 || !user || password === undefined) return { kind: "refused" };
      return verify(user, password) ? ok(user) : { kind: "refused" };
    },
  };
}

/** EXTERNAL (RFC 4422 appendix A): `identify` returns the identity authenticated by the transport, for example by TLS. */
export function saslExternal(identify: (authorization: string) => string | undefined): SaslMechanism {
  return {
    name: "EXTERNAL",
    start(initialResponse) {
      const identity = identify(Buffer.from(initialResponse ?? []).toString());
      return identity === undefined ? { kind: "refused" } : ok(identity);
    },
  };
}

/** The state of a negotiation after a frame. */
export type SaslProgress =
  | { readonly kind: "pending" }
  | { readonly kind: "ok"; readonly identity?: string }
  | { readonly kind: "failed"; readonly reason: string };

/** One side of the SASL negotiation (5.3.2). Responses are written at once. */
export interface SaslNegotiation {
  /** Called when both SASL headers were exchanged. */
  start(writer: ByteWriter): void;
  /** Handles a frame body. Throws `AmqpDecodeError` if it is malformed. */
  receive(body: ByteReader, writer: ByteWriter): SaslProgress;
}

const codeOk = 0;
const codeAuth = 1;
const pending: SaslProgress = { kind: "pending" };

/** The server's side of a negotiation. */
export function negotiateAsServer(mechanisms: readonly SaslMechanism[]): SaslNegotiation {
  let respond: ((response: Uint8Array) => SaslStep) | undefined;

  function answer(step: SaslStep, writer: ByteWriter): SaslProgress {
    respond = undefined;
    if (step.kind === "challenge") {
      respond = (response) => step.respond(response);
      writeFrame(writer, saslFrame, 0, saslChallengeType, { challenge: step.challenge });
      return pending;
    }
    if (step.kind === "refused") {
      writeFrame(writer, saslFrame, 0, saslOutcomeType, { code: codeAuth });
      return { kind: "failed", reason: "the SASL mechanism refused the client" };
    }
    const { identity, additionalData } = step;
    writeFrame(writer, saslFrame, 0, saslOutcomeType, { code: codeOk, additionalData });
    return { kind: "ok", ...(identity !== undefined && { identity }) };
  }

  return {
    start(writer) {
      writeFrame(writer, saslFrame, 0, saslMechanismsType, {
        mechanisms: mechanisms.map(({ name }) => name),
      });
    },
    receive(body, writer) {
      const code = readDescriptor(body);
      if (code === saslResponseType.code && respond) {
        return answer(respond(readComposite(body, saslResponseType).response), writer);
      }
      if (code !== saslInitType.code || respond) {
        return { kind: "failed", reason: "an unexpected SASL frame arrived" };
      }
      const { mechanism, initialResponse, hostname } = readComposite(body, saslInitType);
      const chosen = mechanisms.find(({ name }) => name === mechanism);
      return answer(chosen?.start(initialResponse, hostname) ?? { kind: "refused" }, writer);
    },
  };
}

/** The client's side of a negotiation, for mechanisms of a single step. */
export function negotiateAsClient(
  credentials: SaslCredentials,
  hostname: string | undefined,
): SaslNegotiation {
  return {
    start() {},
    receive(body, writer) {
      const code = readDescriptor(body);
      if (code === saslOutcomeType.code) {
        const { code: outcome } = readComposite(body, saslOutcomeType);
        return outcome === codeOk ? { kind: "ok" } : { kind: "failed", reason: `SASL outcome ${outcome}` };
      }
      if (code !== saslMechanismsType.code)
        return { kind: "failed", reason: "an unexpected SASL frame arrived" };
      const { mechanism, initialResponse } = credentials;
      if (!readComposite(body, saslMechanismsType).mechanisms.includes(mechanism)) {
        return { kind: "failed", reason: `the server does not offer SASL ${mechanism}` };
      }
      writeFrame(writer, saslFrame, 0, saslInitType, { mechanism, initialResponse, hostname });
      return pending;
    },
  };
}

function ok(identity: string | undefined): SaslStep {
  return { kind: "ok", ...(identity !== undefined && { identity }) };
}
