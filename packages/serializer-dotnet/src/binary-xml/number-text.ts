/** The text of a `double` in XML: its shortest digits, with an exponent if .NET writes one. */
export function doubleText(value: number): string {
  return isWrittenPlainly(value, 1e15)
    ? String(value)
    : (special(value) ?? dotnetDigits(value.toExponential(), 15));
}

/** The text of a `float`: the shortest digits that identify it among the floats. */
export function floatText(value: number): string {
  const known = special(value);
  if (known !== undefined) return known;
  for (let digits = fewestDigits(value); digits < 9; digits++) {
    const short = Number(value.toPrecision(digits));
    if (Math.fround(short) === value) return digitsOf(short);
  }
  return digitsOf(Number(value.toPrecision(9)));
}

function digitsOf(value: number): string {
  return isWrittenPlainly(value, 1e7) ? String(value) : dotnetDigits(value.toExponential(), 7);
}

/** The smallest float above zero: those below 2^-126 are multiples of it, so they have fewer digits than the others. */
const smallestFloat = 2 ** -149;

/** As many digits as are right for a float that fewer identify, too: the rest of them are zeros. */
function fewestDigits(value: number): number {
  return Math.min(6, Math.max(1, Math.floor(Math.log10(Math.abs(value) / smallestFloat))));
}

/** Whether JavaScript prints a number without an exponent, as .NET does below `limit`. */
function isWrittenPlainly(value: number, limit: number): boolean {
  const size = Math.abs(value);
  return size >= 1e-5 && size < limit;
}

function special(value: number): string | undefined {
  if (Number.isNaN(value)) return "NaN";
  if (value === Number.POSITIVE_INFINITY) return "INF";
  if (value === Number.NEGATIVE_INFINITY) return "-INF";
  return value === 0 ? (Object.is(value, -0) ? "-0" : "0") : undefined;
}

/** From `1.5e+300` to `1.5E+300`, or plain digits for exponents from -5 up to `precision`. Source: .NET, format "R". */
function dotnetDigits(exponential: string, precision: number): string {
  const [mantissa = "", power = "0"] = exponential.split("e");
  const exponent = Number(power);
  const sign = mantissa.startsWith("-") ? "-" : "";
  const digits = trimZeros(mantissa.replace("-", "").replace(".", ""));
  if (exponent >= precision || exponent < -5) {
    const fraction = digits.length > 1 ? `.${digits.slice(1)}` : "";
    const size = String(Math.abs(exponent)).padStart(2, "0");
    return `${sign}${digits[0]}${fraction}E${exponent < 0 ? "-" : "+"}${size}`;
  }
  if (exponent < 0) return `${sign}0.${"0".repeat(-exponent - 1)}${digits}`;
  const whole = digits.slice(0, exponent + 1).padEnd(exponent + 1, "0");
  const fraction = digits.slice(exponent + 1);
  return `${sign}${whole}${fraction === "" ? "" : `.${fraction}`}`;
}

function trimZeros(digits: string): string {
  let end = digits.length;
  while (end > 1 && digits.charCodeAt(end - 1) === 0x30) end--;
  return digits.slice(0, end);
}

/** The digits of a `decimal`: 96 bits as three words, with exactly `scale` decimals. */
export function decimalText(
  isNegative: boolean,
  scale: number,
  high: number,
  middle: number,
  low: number,
): string {
  const isSmall = high === 0 && middle < 0x20_0000;
  const value = isSmall
    ? middle * 0x1_0000_0000 + low
    : (BigInt(high) << 64n) | (BigInt(middle) << 32n) | BigInt(low);
  const digits = String(value).padStart(scale + 1, "0");
  const text = scale === 0 ? digits : `${digits.slice(0, -scale)}.${digits.slice(-scale)}`;
  return isNegative && Number(value) !== 0 ? `-${text}` : text;
}

/** The decimals of a number of ticks that is less than a second; none for zero. */
export function decimalsOfSecond(ticks: bigint): string {
  return ticks === 0n ? "" : `.${trimZeros(String(ticks).padStart(7, "0"))}`;
}

/** The `xs:duration` of a `TimeSpan` as .NET prints it, `PT0S` for zero. */
export function timeSpanText(ticks: bigint): string {
  if (ticks === 0n) return "PT0S";
  const size = ticks < 0n ? -ticks : ticks;
  const seconds = Number(size / 10_000_000n);
  const part = (value: number, unit: string) => (value === 0 ? "" : `${value}${unit}`);
  const days = part(Math.floor(seconds / 86_400), "D");
  const hours = part(Math.floor(seconds / 3600) % 24, "H");
  const minutes = part(Math.floor(seconds / 60) % 60, "M");
  const decimals = decimalsOfSecond(size % 10_000_000n);
  const secondsLeft = seconds % 60 === 0 && decimals === "" ? "" : `${seconds % 60}${decimals}S`;
  const time = `${hours}${minutes}${secondsLeft}`;
  return `${ticks < 0n ? "-" : ""}P${days}${time === "" ? "" : `T${time}`}`;
}
