import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** Makes a certificate for localhost, with its private key, by openssl. */
export function makeCertificate(): { readonly cert: string; readonly key: string } {
  const directory = mkdtempSync(join(tmpdir(), "waybill-attack-"));
  const [cert, key] = [join(directory, "cert.pem"), join(directory, "key.pem")];
  const curve = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"];
  try {
    execFileSync(
      "openssl",
      ["req", "-x509", ...curve, "-subj", "/CN=localhost", "-days", "2", "-out", cert, "-keyout", key],
      { stdio: "ignore" },
    );
    return { cert: readFileSync(cert, "utf8"), key: readFileSync(key, "utf8") };
  } finally {
    rmSync(directory, { recursive: true });
  }
}
