const secrets = /\b(SharedAccessKey|SharedAccessSignature|sig|AccountKey)=(?!…)[^;&\s"']+/gi;

/** A text in which every key of a connection string is replaced, and the keys of the environment's connection strings wherever they occur. */
export function withoutSecrets(text: string): string {
  let clean = text;
  for (const secret of environmentSecrets()) clean = clean.replaceAll(secret, "***");
  return clean.replace(secrets, "$1=***");
}

function environmentSecrets(): string[] {
  const { SERVICEBUS_CONNECTION_STRING: usual = "", ...others } = process.env;
  const connectionStrings = Object.values(others).filter((value) => /SharedAccess\w+=/i.test(value ?? ""));
  return [usual, ...connectionStrings]
    .flatMap((connectionString = "") => {
      const keys = connectionString.matchAll(/SharedAccess(?:Key|Signature)=([^;]+)/gi);
      return [connectionString, ...Array.from(keys, ([, key = ""]) => key.trim())];
    })
    .filter((secret) => secret.length >= 8);
}
