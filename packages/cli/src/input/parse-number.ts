import { InvalidArgumentError } from "commander";

/** An integer from 1. */
export function parseCount(text: string): number {
  const count = Number(text);
  if (/^\d+$/.test(text) && Number.isSafeInteger(count) && count >= 1) return count;
  throw new InvalidArgumentError(`"${text}" must be a positive integer.`);
}

/** A number above 0. */
export function parseRate(text: string): number {
  const rate = Number(text);
  if (/^\d*\.?\d+$/.test(text) && rate > 0) return rate;
  throw new InvalidArgumentError(`"${text}" is not a number above 0.`);
}

/** A share of the whole, from 0 to 1. */
export function parseShare(text: string): number {
  const share = Number(text);
  if (/^\d*\.?\d+$/.test(text) && share <= 1) return share;
  throw new InvalidArgumentError(`"${text}" is not a number from 0 to 1.`);
}

/** A sequence number. */
export function parseSequenceNumber(text: string): bigint {
  if (/^\d{1,19}$/.test(text)) return BigInt(text);
  throw new InvalidArgumentError(`"${text}" is not a sequence number.`);
}

/** Sequence numbers, separated by commas. */
export function parseSequenceNumbers(text: string): readonly bigint[] {
  return text.split(",").map((part) => parseSequenceNumber(part.trim()));
}
