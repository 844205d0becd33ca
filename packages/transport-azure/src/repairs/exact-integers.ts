import rhea from "rhea";

/** The description of a type in rhea, as far as it is used here. */
interface TypeDescription {
  read?: ((buffer: Buffer, offset: number) => unknown) & { isExact?: boolean };
}

/** The type codes of ulong and long. */
const typeCodes = [0x80, 0x81];

/**
 * Lets rhea hand out every 64-bit integer that no number can hold as bytes. By itself (3.0.5) it does so only beyond 2^53 + 2^32 and rounds
 * what lies between, for the last bit of its limit is wrong. It is changed because nobody can undo the rounding.
 */
export function readIntegersExactly(): void {
  const { by_code: descriptions } = rhea.types as { by_code?: Record<number, TypeDescription> };
  for (const typeCode of typeCodes) {
    const description = descriptions?.[typeCode];
    const read = description?.read;
    if (description === undefined || read === undefined || read.isExact) continue;
    description.read = Object.assign(
      (buffer: Buffer, offset: number) => {
        const value = read(buffer, offset);
        const isRounded = typeof value === "number" && !Number.isSafeInteger(value);
        return isRounded ? buffer.subarray(offset, offset + 8) : value;
      },
      { isExact: true },
    );
  }
}
