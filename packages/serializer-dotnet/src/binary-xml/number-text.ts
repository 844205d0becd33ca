/** The text of a `double` in XML: its shortest digits, with an exponent if .NET writes one. */
export function doubleText(value: number): string {
  return special(value) ?? dotnetDigits(value.toExponential(), 15);
}

/** The text of a `float`: the shortest digits that identify it among the floats. */
export function floatText(value: number): string {
  const known = special(value);
  if (known !== undefined) return known;
  for (let digits = 0; digits < 9; digits++) {
    const text = value.toExponential(digits);
    if (Math.fround(Number(text)) === value) return dotnetDigits(text, 7);
  }
  return dotnetDigits(value.toExponential(), 7);
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
  const seconds = size / 10_000_000n;
  const fraction = size % 10_000_000n;
  const part = (value: bigint, unit: string) => (value === 0n ? "" : `${value}${unit}`);
  const days = part(seconds / 86_400n, "D");
  const hours = part((seconds / 3600n) % 24n, "H");
  const minutes = part((seconds / 60n) % 60n, "M");
  const decimals = decimalsOfSecond(fraction);
  const secondsLeft = seconds % 60n === 0n && decimals === "" ? "" : `${seconds % 60n}${decimals}S`;
  const time = `${hours}${minutes}${secondsLeft}`;
  return `${ticks < 0n ? "-" : ""}P${days}${time === "" ? "" : `T${time}`}`;
}
