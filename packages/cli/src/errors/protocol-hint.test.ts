import { describe, expect, it } from "vitest";
import { protocolHint } from "./protocol-hint.js";

const keys = "SharedAccessKeyName=a;SharedAccessKey=b";
const azure = `Endpoint=sb://shop.servicebus.windows.net;${keys}`;
const local = `Endpoint=sb://localhost:5672;${keys}`;

describe("protocolHint", () => {
  it("says so where TLS meets a broker without", () => {
    const text = "error:0A000410:SSL routines:ssl3_read_bytes:sslv3 alert handshake failure";
    expect(protocolHint(text, local)).toContain(";UseDevelopmentEmulator=true at the end");
    expect(protocolHint("error:0A00010B:SSL routines::wrong version number", local)).toBeDefined();
  });

  it("says so where Node takes no address for TLS", () => {
    const text = "Setting the TLS ServerName to an IP address is not permitted.. Received '127.0.0.1'";
    expect(protocolHint(text, local)).toMatch(/name localhost instead.*takes ;UseDevelopmentEmulator=true/);
  });

  it("says so where plain AMQP meets a namespace of Azure", () => {
    expect(protocolHint("read ECONNRESET", `${azure};UseDevelopmentEmulator=true`)).toContain("leave it out");
  });

  it("names the way to trust a certificate", () => {
    expect(protocolHint("self-signed certificate in certificate chain", local)).toContain(
      "NODE_EXTRA_CA_CERTS",
    );
  });

  it("says nothing where nothing hints at it", () => {
    expect(protocolHint("The queue does not exist.", azure)).toBeUndefined();
    expect(protocolHint("read ECONNRESET", azure)).toBeUndefined();
    expect(
      protocolHint("connect ECONNREFUSED 127.0.0.1:5672", `${local};UseDevelopmentEmulator=true`),
    ).toBeUndefined();
  });
});
