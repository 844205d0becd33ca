import { ByteReader } from "../codec/byte-reader.js";
import { ByteWriter } from "../codec/byte-writer.js";
import {
  codeOf,
  defineComposite,
  isDescribed,
  readFields,
  writeComposite,
  writeDescriptor,
} from "../codec/composite.js";
import { concatenate, writeBinary, writeListOf, writeValue } from "../codec/encode.js";
import type { AmqpDescribed, AmqpMap, AmqpValue } from "../codec/value.js";
import { type AmqpError, toAmqpError, writeAmqpError } from "./amqp-error.js";

/** A terminal outcome of a delivery (3.4). */
export type Outcome =
  | { readonly kind: "accepted" }
  | { readonly kind: "rejected"; readonly error?: AmqpError }
  | { readonly kind: "released" }
  | {
      readonly kind: "modified";
      readonly deliveryFailed?: boolean;
      readonly undeliverableHere?: boolean;
      readonly messageAnnotations?: AmqpMap;
    }
  | { readonly kind: "declared"; readonly transactionId: Uint8Array };

/** The state of a delivery: an outcome, a non-terminal state, or an outcome within a transaction (4.5.6). */
export type DeliveryState =
  | Outcome
  | { readonly kind: "received"; readonly sectionNumber: number; readonly sectionOffset: bigint }
  | { readonly kind: "transactional"; readonly transactionId: Uint8Array; readonly outcome?: Outcome }
  | { readonly kind: "unknown"; readonly value: AmqpValue };

/** The message was processed (3.4.2). */
export const acceptedState: Outcome = Object.freeze({ kind: "accepted" });
/** The message was not processed and may be delivered again, with the same delivery count (3.4.4). */
export const releasedState: Outcome = Object.freeze({ kind: "released" });
/** The message is invalid, without an error that says why (3.4.3). */
export const rejectedState: Outcome = Object.freeze({ kind: "rejected" });

/** Rejected for a reason (3.4.3). */
export function rejected(error: AmqpError): Outcome {
  return { kind: "rejected", error };
}

const receivedType = defineComposite("received", 0x23, { sectionNumber: "uint!", sectionOffset: "ulong!" });
const acceptedType = defineComposite("accepted", 0x24, {});
const rejectedType = defineComposite("rejected", 0x25, { error: "value" });
const releasedType = defineComposite("released", 0x26, {});
const modifiedType = defineComposite("modified", 0x27, {
  deliveryFailed: "boolean",
  undeliverableHere: "boolean",
  messageAnnotations: "map",
});
const declaredType = defineComposite("declared", 0x33, { transactionId: "binary!" });
const transactionalType = defineComposite("transactional-state", 0x34, {
  transactionId: "binary!",
  outcome: "value",
});

/** Decodes a delivery state; one with an unknown descriptor is kept unchanged. Throws `AmqpDecodeError`. */
export function toDeliveryState(value: AmqpValue | undefined): DeliveryState | undefined {
  if (value === undefined || value === null) return undefined;
  if (!isDescribed(value)) return { kind: "unknown", value };
  if (codeOf(value) !== transactionalType.code) {
    return toReceived(value) ?? toOutcome(value) ?? { kind: "unknown", value };
  }
  const { transactionId, outcome } = readFields(noBytes, transactionalType, value.value);
  const inner = isDescribed(outcome) ? toOutcome(outcome) : undefined;
  return { kind: "transactional", transactionId: copyOf(transactionId), ...(inner && { outcome: inner }) };
}

/** Appends a delivery state, or null. */
function writeDeliveryState(writer: ByteWriter, state: DeliveryState | undefined): void {
  switch (state?.kind) {
    case undefined:
      writeValue(writer, null);
      return;
    case "accepted":
      writeComposite(writer, acceptedType, {});
      return;
    case "released":
      writeComposite(writer, releasedType, {});
      return;
    case "rejected":
      writeDescriptor(writer, rejectedType.code);
      writeListOf(writer, state.error ? 1 : 0, () => writeAmqpError(writer, state.error));
      return;
    case "modified":
      writeComposite(writer, modifiedType, state);
      return;
    case "received":
      writeComposite(writer, receivedType, state);
      return;
    case "declared":
      writeComposite(writer, declaredType, state);
      return;
    case "transactional":
      writeDescriptor(writer, transactionalType.code);
      writeListOf(writer, 2, () => {
        writeBinary(writer, state.transactionId);
        writeDeliveryState(writer, state.outcome);
      });
      return;
    case "unknown":
      writeValue(writer, state.value);
  }
}

/** Encodes a state; also used to compare two states. */
export function encodeDeliveryState(state: DeliveryState): Uint8Array {
  if (state === acceptedState) return encodedAccepted;
  const writer = new ByteWriter(128);
  writeDeliveryState(writer, state);
  return concatenate(writer.take());
}

const encodedAccepted = Buffer.from([0x00, 0x53, 0x24, 0x45]);
const noBytes = new ByteReader(new Uint8Array());

function toReceived(value: AmqpDescribed): DeliveryState | undefined {
  if (codeOf(value) !== receivedType.code) return undefined;
  return { kind: "received", ...readFields(noBytes, receivedType, value.value) };
}

function toOutcome(value: AmqpDescribed): Outcome | undefined {
  switch (codeOf(value)) {
    case acceptedType.code:
      return acceptedState;
    case releasedType.code:
      return releasedState;
    case rejectedType.code: {
      const error = toAmqpError(readFields(noBytes, rejectedType, value.value).error);
      return error ? rejected(error) : rejectedState;
    }
    case modifiedType.code:
      return toModified(value);
    case declaredType.code: {
      const { transactionId } = readFields(noBytes, declaredType, value.value);
      return { kind: "declared", transactionId: copyOf(transactionId) };
    }
    default:
      return undefined;
  }
}

function toModified(value: AmqpDescribed): Outcome {
  const fields = readFields(noBytes, modifiedType, value.value);
  return {
    kind: "modified",
    ...(fields.deliveryFailed !== undefined && { deliveryFailed: fields.deliveryFailed }),
    ...(fields.undeliverableHere !== undefined && { undeliverableHere: fields.undeliverableHere }),
    ...(fields.messageAnnotations && { messageAnnotations: fields.messageAnnotations }),
  };
}

/** Transaction ids outlive the input buffer they arrived in. */
function copyOf(bytes: Uint8Array): Uint8Array {
  return Buffer.from(bytes);
}
