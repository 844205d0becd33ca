/** The bytes of a body that the host handed over, or what was lost on the way. */
export type HostBody = { readonly bytes: Uint8Array } | { readonly lost: string };

const cure =
  'Let the host hand over bytes: dataType: "binary" in the trigger, as serviceBusQueue and serviceBusTopic set it, or the SDK binding (sdkBinding: true).';

/**
 * The bytes of a body. The host hands over bytes, or text, which `@azure/functions` parses where it is JSON. Text is taken only where nothing
 * was lost: no replaced bytes, no rounded numbers, no JSON string that lost its quotes.
 */
export function hostBody(value: unknown, contentType: string | undefined): HostBody {
  if (value instanceof Uint8Array)
    return { bytes: new Uint8Array(value.buffer, value.byteOffset, value.byteLength) };
  if (value === undefined) return { bytes: new Uint8Array() };
  const isJson = contentType !== undefined && /[/+]json\s*(?:;|$)/i.test(contentType);
  if (typeof value === "string") {
    if (value.includes("\uFFFD"))
      return lost("The host decoded the body as text and replaced bytes that are not UTF-8 by U+FFFD.");
    return isJson
      ? lost("The host parsed the body as JSON; whether this text was a JSON string is no longer known.")
      : { bytes: new TextEncoder().encode(value) };
  }
  if (contentType !== undefined && !isJson)
    return lost("The host parsed the body as JSON, although it is of another format; its text is lost.");
  return jsonBody(value);
}

function jsonBody(value: unknown): HostBody {
  let isRounded = false;
  try {
    const text = JSON.stringify(value, (_, member: unknown) => {
      isRounded ||= Number.isInteger(member) && !Number.isSafeInteger(member);
      return member;
    });
    if (!isRounded) return { bytes: new TextEncoder().encode(text) };
  } catch {
    return lost("The host parsed the body as JSON, nested too deeply to be written again.");
  }
  return lost("The host parsed the body as JSON and rounded integers beyond 2^53.");
}

function lost(what: string): HostBody {
  return { lost: `${what} ${cure}` };
}
