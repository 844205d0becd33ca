import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { openScratch } from "../run/waiting.js";

/** Makes a certificate for localhost, with its private key, by openssl. */
export function makeCertificate(): { readonly cert: string; readonly key: string } {
  using scratch = openScratch("attack");
  const [cert, key] = [join(scratch.path, "cert.pem"), join(scratch.path, "key.pem")];
  const curve = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"];
  execFileSync(
    "openssl",
    ["req", "-x509", ...curve, "-subj", "/CN=localhost", "-days", "2", "-out", cert, "-keyout", key],
    { stdio: "ignore" },
  );
  return { cert: readFileSync(cert, "utf8"), key: readFileSync(key, "utf8") };
}
