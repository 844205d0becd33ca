import { describe, expect, it } from "vitest";
import { protocolHint } from "./protocol-hint.js";

const keys = "SharedAccessKeyName=a;SharedAccessKey=b";
const azure = `Endpoint=sb://shop.servicebus.windows.net;${keys}`;
const local = `Endpoint=sb://localhost:5672;${keys}`;

describe("protocolHint", () => {
  it("explains TLS to a broker without it", () => {
    const text = "error:0A000410:SSL routines:ssl3_read_bytes:sslv3 alert handshake failure";
    expect(protocolHint(text, local)).toContain(";UseDevelopmentEmulator=true at the end");
    expect(protocolHint("error:0A00010B:SSL routines::wrong version number", local)).toBeDefined();
  });

  it("explains that Node refuses an IP address for TLS", () => {
    const text = "Setting the TLS ServerName to an IP address is not permitted.. Received '127.0.0.1'";
    expect(protocolHint(text, local)).toMatch(/name localhost instead.*takes ;UseDevelopmentEmulator=true/);
  });

  it("explains plain AMQP to an Azure namespace", () => {
    expect(protocolHint("read ECONNRESET", `${azure};UseDevelopmentEmulator=true`)).toContain("leave it out");
  });

  it("explains how to trust a certificate", () => {
    expect(protocolHint("self-signed certificate in certificate chain", local)).toContain(
      "NODE_EXTRA_CA_CERTS",
    );
  });

  it("returns no hint for other errors", () => {
    expect(protocolHint("The queue does not exist.", azure)).toBeUndefined();
    expect(protocolHint("read ECONNRESET", azure)).toBeUndefined();
  });

  it("asks whether a local broker runs", () => {
    const text = protocolHint("connect ECONNREFUSED 127.0.0.1:5672", `${local};UseDevelopmentEmulator=true`);
    expect(text).toContain("Is the broker running?");
    expect(protocolHint("connect ECONNREFUSED 10.0.0.4:5671", azure)).toBeUndefined();
  });
});
