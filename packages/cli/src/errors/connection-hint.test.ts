import { describe, expect, it } from "vitest";
import { connectionHint } from "./connection-hint.js";

const keys = "SharedAccessKeyName=a;SharedAccessKey=b";
const azure = `Endpoint=sb://shop.servicebus.windows.net;${keys}`;
const local = `Endpoint=sb://localhost:5672;${keys}`;

describe("connectionHint", () => {
  it("explains TLS to a broker without it", () => {
    const text = "error:0A000410:SSL routines:ssl3_read_bytes:sslv3 alert handshake failure";
    expect(connectionHint(text, local)).toContain(";UseDevelopmentEmulator=true at the end");
    expect(connectionHint("error:0A00010B:SSL routines::wrong version number", local)).toBeDefined();
  });

  it("explains that Node refuses an IP address for TLS", () => {
    const text = "Setting the TLS ServerName to an IP address is not permitted.. Received '127.0.0.1'";
    expect(connectionHint(text, local)).toMatch(/name localhost instead.*takes ;UseDevelopmentEmulator=true/);
  });

  it("explains plain AMQP to an Azure namespace", () => {
    expect(connectionHint("read ECONNRESET", `${azure};UseDevelopmentEmulator=true`)).toContain(
      "leave it out",
    );
  });

  it("explains how to trust a certificate", () => {
    expect(connectionHint("self-signed certificate in certificate chain", local)).toContain(
      "NODE_EXTRA_CA_CERTS",
    );
  });

  it("tells a wrong key from a claim that is missing", () => {
    const wrong =
      "InvalidSignature: The token has an invalid signature, is expired, or is not for this resource.";
    expect(connectionHint(wrong, azure)).toMatch(
      /^The key is wrong: .*That of one entity opens no other, and not the namespace\.$/,
    );
    const missing = "Unauthorized access. 'Listen' claim(s) are required to perform this operation.";
    expect(connectionHint(missing, local)).toBe("The key lacks the Listen claim.");
  });

  it("says that a host is unknown, or that it does not answer", () => {
    expect(connectionHint("getaddrinfo ENOTFOUND shp.servicebus.windows.net", azure)).toContain(
      "no host of this name",
    );
    const late = 'Unable to open the amqp connection "connection-1" due to operation timeout.';
    expect(connectionHint(late, azure)).toContain("no answer in time");
  });

  it("returns no hint for other errors", () => {
    expect(connectionHint("The queue does not exist.", azure)).toBeUndefined();
    expect(connectionHint("read ECONNRESET", azure)).toBeUndefined();
  });

  it("asks whether a local broker runs, also one in a container", () => {
    const container = `Endpoint=sb://broker;${keys};UseDevelopmentEmulator=true`;
    expect(connectionHint("connect ECONNREFUSED 172.18.0.2:5672", container)).toContain(
      "Is the broker running?",
    );
    const text = connectionHint(
      "connect ECONNREFUSED 127.0.0.1:5672",
      `${local};UseDevelopmentEmulator=true`,
    );
    expect(text).toMatch(/Is the broker running\?.*prints its connection string\.$/);
    const withTls = connectionHint("connect ECONNREFUSED 127.0.0.1:5671", local);
    expect(withTls).toMatch(
      /Is the broker running\?.*without TLS, it ends with ;UseDevelopmentEmulator=true\.$/,
    );
    expect(connectionHint("connect ECONNREFUSED 10.0.0.4:5671", azure)).toBeUndefined();
  });
});
