// Makes the certificate of `--tls` and keeps it in a folder: clients have to be told to trust it.
import { createHash, generateKeyPairSync, type KeyObject, randomBytes, sign, X509Certificate } from "node:crypto";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { makeFolder } from "../make-folder.ts";
import { bitString, boolean, context, integer, objectId, octetString, sequence, set, utcTime, utf8 } from "./der.ts";

/** The folder of the certificate; several parts may share it. */
export interface TlsFolder {
  /** Created if absent. The default is `tls` in the data folder of the part. */
  readonly folder?: string;
}

export interface Credentials {
  readonly key: string;
  readonly cert: string;
  /** The certificate that clients have to trust. */
  readonly certificateFile: string;
}

const DAY_MS = 86_400_000;
const LIFETIME_MS = 730 * DAY_MS;
/** One that ends sooner is made anew at the next start. */
const RENEWAL_MS = 30 * DAY_MS;
const NAME = "local-stack";
const SERIAL_BYTES = 16;

const OID = {
  commonName: "2.5.4.3",
  ecdsaWithSha256: "1.2.840.10045.4.3.2",
  subjectKey: "2.5.29.14",
  keyUsage: "2.5.29.15",
  subjectAltName: "2.5.29.17",
  basicConstraints: "2.5.29.19",
  authorityKey: "2.5.29.35",
  extendedKeyUsage: "2.5.29.37",
  serverAuth: "1.3.6.1.5.5.7.3.1",
};

/** The certificate in the folder, made if there is none or it ends soon. */
export function credentialsIn(folder: string, now: number): Credentials {
  const [keyFile, certificateFile] = [join(folder, "key.pem"), join(folder, "certificate.pem")];
  if (!existsSync(keyFile) || !existsSync(certificateFile) || endsSoon(readFileSync(certificateFile, "utf8"), now)) {
    const { key, cert } = makeCertificate(now);
    makeFolder(folder);
    writeFileSync(keyFile, key, { mode: 0o600 });
    writeFileSync(certificateFile, cert);
  }
  return { key: readFileSync(keyFile, "utf8"), cert: readFileSync(certificateFile, "utf8"), certificateFile };
}

function endsSoon(cert: string, now: number): boolean {
  return Date.parse(new X509Certificate(cert).validTo) < now + RENEWAL_MS;
}

/** A key, and a certificate for localhost that it signs itself (RFC 5280). */
function makeCertificate(now: number): { key: string; cert: string } {
  const { publicKey, privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const algorithm = sequence(objectId(OID.ecdsaWithSha256));
  const unsigned = describe(publicKey, algorithm, now);
  const signature = sign("sha256", unsigned, privateKey);
  const der = sequence(unsigned, algorithm, bitString(signature));
  return { key: privateKey.export({ type: "pkcs8", format: "pem" }).toString(), cert: pem(der) };
}

function describe(publicKey: KeyObject, algorithm: Buffer, now: number): Buffer {
  const spki = publicKey.export({ type: "spki", format: "der" });
  const name = sequence(set(sequence(objectId(OID.commonName), utf8(NAME))));
  const serial = randomBytes(SERIAL_BYTES);
  // Neither zero nor negative.
  serial[0] = 0x40 | ((serial[0] ?? 0) & 0x3f);
  return sequence(
    context(0, true, integer(Buffer.from([2]))),
    integer(serial),
    algorithm,
    name,
    sequence(utcTime(now - DAY_MS), utcTime(now + LIFETIME_MS)),
    name,
    spki,
    context(3, true, sequence(...extensions(createHash("sha1").update(spki).digest()))),
  );
}

/** Its own authority: a client that trusts it asks for no other. */
function extensions(keyId: Buffer): Buffer[] {
  const digitalSignatureAndCertSign = Buffer.from([0x84]);
  const hosts = [
    context(2, false, Buffer.from("localhost", "ascii")),
    context(7, false, Buffer.from([127, 0, 0, 1])),
    context(7, false, Buffer.from([...Array(15).fill(0), 1])),
  ];
  return [
    extension(OID.basicConstraints, true, sequence(boolean(true), integer(Buffer.from([0])))),
    extension(OID.keyUsage, true, bitString(digitalSignatureAndCertSign, 2)),
    extension(OID.extendedKeyUsage, false, sequence(objectId(OID.serverAuth))),
    extension(OID.subjectAltName, false, sequence(...hosts)),
    extension(OID.subjectKey, false, octetString(keyId)),
    extension(OID.authorityKey, false, sequence(context(0, false, keyId))),
  ];
}

function extension(id: string, isCritical: boolean, value: Buffer): Buffer {
  return sequence(objectId(id), ...(isCritical ? [boolean(true)] : []), octetString(value));
}

function pem(der: Buffer): string {
  const lines = der.toString("base64").match(/.{1,64}/g) ?? [];
  return ["-----BEGIN CERTIFICATE-----", ...lines, "-----END CERTIFICATE-----", ""].join("\n");
}
