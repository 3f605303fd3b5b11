import { execFile } from "node:child_process";
import { existsSync, mkdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { LabFault, sayError } from "./fault";
import { certificateOf } from "./login";
import type { Places } from "./places";
import { markedEnvironment } from "./processes";
import { secretsOf } from "./state";

/** The broker's key and certificate. */
export function keystoreOf(places: Pick<Places, "run">): string {
  return join(places.run, "tls", "broker.p12");
}

/** Makes the broker's key and a certificate for 127.0.0.1 and localhost that signs itself, the first time. @throws LabFault */
export async function makeCertificate(places: Places): Promise<void> {
  if (existsSync(certificateOf(places))) return;
  const keystore = keystoreOf(places);
  mkdirSync(dirname(keystore), { recursive: true, mode: 0o700 });
  const store = ["-keystore", keystore, "-storetype", "PKCS12", "-storepass", secretsOf(places).kafkaAdmin];
  const names = ["-dname", "CN=localhost", "-ext", "san=dns:localhost,ip:127.0.0.1"];
  const kind = ["-keyalg", "EC", "-groupname", "secp256r1", "-validity", "3650"];
  if (!existsSync(keystore))
    await keytool(places, ["-genkeypair", "-alias", "broker", ...kind, ...names, ...store]);
  await keytool(places, [
    "-exportcert",
    "-rfc",
    "-alias",
    "broker",
    "-file",
    certificateOf(places),
    ...store,
  ]);
}

/** Every Java has it. */
async function keytool(places: Places, args: readonly string[]): Promise<void> {
  const program = process.env.JAVA_HOME ? join(process.env.JAVA_HOME, "bin", "keytool") : "keytool";
  try {
    await promisify(execFile)(program, args, { env: markedEnvironment(places), timeout: 60_000 });
  } catch (error) {
    throw new LabFault(`The broker's certificate could not be made: ${sayError(error)}`);
  }
}
