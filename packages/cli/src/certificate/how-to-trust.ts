/** Explains how clients of each language trust an authority. Each way is for one process; nothing is installed on the system. */
export function howToTrust(caFile: string): string {
  return `Clients must trust ${caFile}:
  Node.js   NODE_EXTRA_CA_CERTS=${caFile}
  Python    REQUESTS_CA_BUNDLE=${caFile} for administration, connection_verify="${caFile}" for messages
  Go, .NET  SSL_CERT_FILE=${caFile} on Linux
  Java      keytool -importcert -noprompt -alias waybill -file ${caFile} -keystore waybill.jks -storepass changeit
            and -Djavax.net.ssl.trustStore=waybill.jks -Djavax.net.ssl.trustStorePassword=changeit
  curl      --cacert ${caFile}
The key of this authority was thrown away when it had signed: nobody can make other certificates with it.`;
}
