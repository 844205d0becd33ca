/** In its refusals, the service says whether a key is wrong or lacks a right. Source: Service Bus's error texts. */
const lacksRight = /claims? required|claim\(s\) are required|specified action|unauthorized access/i;
const wrongKey = /InvalidSignature|token has an invalid signature/i;

/** Whether a text is the service's refusal of a key for messages. */
export function isKeyRefusal(text: string): boolean {
  return lacksRight.test(text) || wrongKey.test(text);
}

/** Why the service refused a key, by its text. */
export function refusalOf(text: string): string {
  const [, claim = "Manage"] = /'(\w+)' claim/.exec(text) ?? [];
  return lacksRight.test(text)
    ? `the key lacks the ${claim} claim.`
    : "the key is wrong: no policy here has this SharedAccessKeyName and SharedAccessKey. That of one entity opens no other, and not the namespace.";
}
