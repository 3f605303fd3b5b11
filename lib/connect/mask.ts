const MASK = "***";

type Config = Readonly<Record<string, string | null>>;

export interface MaskedConfig {
  config: Record<string, string | null>;
  /** Names of settings in which a secret stands in clear. Sorted. */
  plaintextSecrets: string[];
  /** Masks a text about this connector, such as a stack trace: what looks like a secret, and its own secrets. */
  mask(text: string): string;
}

const secretKey = new RegExp(
  [
    "password|passwd|passphrase|passcode|secret|token|credential|jaas|authorization|user\\.info",
    "(?:private|access|api|account|shared|encryption|signing|hmac|client)[._-]?key",
    "(?:^|[._-])(?:pwd|pw|pass|pin|auth|sas|sig|license|cookies?|keystore\\.key)$",
  ].join("|"),
  "i",
);
/** Settings that speak of a secret but do not hold one: where it is, what makes it, how it is used. */
const harmlessKey =
  /(?:[._-](?:path|file|filename|location|class|provider|providers|type|source|url|uri|endpoint|enabled?|mode|ms|seconds|algorithm|topic|name|version|format)|access[._-]?key[._-]?id)$/i;
/** Settings named `auth` hold either a credential or the plain word for a kind of log-in. */
const authKey = /(?:^|[._-])auth$/i;
const plainWord =
  /^(?:none|no|basic|digest|bearer|plain|true|false|yes|on|off|enabled?|disabled?|default|iam|kerberos|ldaps?|oauth2?|oidc|jwt|m?tls|ssl|sasl|simple|anonymous|apikey|token|password|certificate|scram(?:-sha-\d+)?|ntlm|gssapi|saml|required|requested|want|need|plaintext|sasl_ssl|sasl_plaintext|userpass|approle|aws)$/i;
/** Settings that lead to topics and tables: one changed letter would make every page about them wrong. */
const structuralKey =
  /^(?:name|connector\.class|tasks\.max|topic\.prefix|database\.(?:server\.name|server\.id|dbname|names|hostname|port|user)|slot\.name|publication\.name|plugin\.name|snapshot\.mode|signal\.data\.collection|.*(?:include|exclude|white|black)\.?list|(?:.*\.)?topics?(?:\..*)?|(?:key|value|header)\.converter|transforms|.*\.type)$/i;

/** Here `customers.password:id` names columns. */
const columnLists = /^(?:message\.key\.columns|.*(?:include|exclude)\.list)$/i;

/** What a worker that masks by itself puts there: no secret any more. */
const alreadyMasked = /^(?:\*+|\[hidden\]|<hidden>)$/i;

/**
 * Masks the secrets of a connector's configuration: values of keys that hold one, passwords inside connection
 * strings, and every other place where one of these secrets stands. `${provider:path:key}` references stay.
 */
export function maskConfig(config: Config): MaskedConfig {
  const secrets = new Set<string>();
  const plaintextSecrets: string[] = [];
  const first = Object.entries(config).map(([key, value]) => {
    const found = value === null ? null : maskValue(key, value);
    for (const secret of found?.secrets ?? []) secrets.add(secret);
    if (found && found.secrets.length > 0) plaintextSecrets.push(maskKey(key));
    return { key, value: found?.text ?? value };
  });
  const known = secretPattern(secrets, publicValues(config));
  const mask = (text: string) => maskText(known ? text.replace(known, MASK) : text);
  const masked = first.map(({ key, value }) => {
    const again = value !== null && known && !structuralKey.test(key) ? value.replace(known, MASK) : value;
    return [maskKey(key), again] as const;
  });
  return { config: Object.fromEntries(masked), plaintextSecrets: plaintextSecrets.sort(), mask };
}

/** Debezium's column masking takes its salt in the *name* of the setting: `column.mask.hash.SHA-256.with.salt.<salt>`. */
function maskKey(key: string): string {
  return key.replace(/(\.with\.salt\.).+$/, `$1${MASK}`);
}

function holdsSecret(key: string): boolean {
  // sessionCookie is session.cookie, and tokenEndpointUrl is token.endpoint.url.
  const dotted = key.replace(/([a-z])(?=[A-Z])/g, "$1.");
  return secretKey.test(dotted) && !harmlessKey.test(dotted);
}

function maskValue(key: string, value: string): { text: string; secrets: string[] } {
  if (value === "" || alreadyMasked.test(value)) return { text: value, secrets: [] };
  const inside = maskInside(value);
  if (!holdsSecret(key))
    return columnLists.test(key) && !value.includes("://") ? { text: value, secrets: [] } : inside;
  if (authKey.test(key) && plainWord.test(value)) return inside;
  const { text: withoutReferences } = withReferences(value);
  const clear = withoutReferences.replace(/\uE000\d+\uE001/g, "").trim();
  // JAAS and the like: shown when every secret in it is a reference.
  const holdsReferences =
    clear.length < withoutReferences.length && inside.secrets.length === 0 && /password\s*=/i.test(value);
  if (clear === "" || holdsReferences) return { text: value, secrets: [] };
  const whole = /user\.info$/i.test(key) ? value.slice(value.indexOf(":") + 1) : value;
  const parts = clear === withoutReferences.trim() ? [whole] : [whole, clear];
  return { text: MASK, secrets: [...parts, ...inside.secrets] };
}

/**
 * Masks what looks like a secret in any text: passwords in addresses of every scheme, `password=…` and its kin in
 * JDBC addresses, JAAS, JSON and queries, and HTTP authorisation. References stay.
 */
export function maskText(text: string): string {
  return maskInside(text).text;
}

/** Every repetition has a bound, so that no text, however long, takes more than linear time. */
const word =
  "(?:password|passwd|pwd|passphrase|passcode|secret|token|api[_.-]?key|account_?key|access_?key|private_?key)[\\w.-]{0,80}";
/** A value between quotes, in JSON with escaped ones in it. */
const quoted = `"(?:[^"\\\\]|\\\\[\\s\\S]){0,2000}"|'(?:[^'\\\\]|\\\\[\\s\\S]){0,2000}'|"[^"\\\\]{2000,20000}"?`;
/** First group: what stands before; second: the secret; third: what stands after. */
const patterns: readonly RegExp[] = [
  // A private key in PEM, its line ends written in any way; one that is cut off too
  /(-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY-----)((?:(?!-----)[\s\S]){1,20000})(-----END [A-Z0-9 ]{0,40}PRIVATE KEY-----)/g,
  /(-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY-----)((?!\*\*\*)[\w+/=\\\s:,-]{1,20000})()/g,
  // scheme://user:password@host, the last @ before the path counts
  /\b([a-z][\w+.-]{0,30}:\/\/[^\s:@/?#"'<>]{0,200}:)([^\s/?#"'<>]{1,500})(@)/gi,
  // the same with / or ? unescaped in the password; host:port/path is not meant
  /\b([a-z][\w+.-]{0,30}:\/\/[^\s:@/?#"'<>]{1,200}:)((?!\d{1,5}(?:[/?#,]|$))[^\s@"'<>]{1,500})(@)/gi,
  // https://token@host and https://token:@host
  /\b(https?:\/\/)([^\s:@/?#"'<>]{1,500})(:?@)/gi,
  // A web hook whose path is the secret
  /\b(https?:\/\/(?:hooks\.[\w.-]{1,200}|[\w-]{1,100}\.webhook\.office\.com|discord(?:app)?\.com\/api\/webhooks)\/)([^\s"'<>?#]{8,500})()/gi,
  // jdbc:oracle:thin:user/password@host
  /(jdbc:oracle:\w{1,20}:[^\s/@:]{1,200}\/)([^\s@]{1,500})(@)/gi,
  // The signature of an Azure SAS or a signed address
  /((?:^|[?&;\s"'])(?:sig|signature|x-amz-signature|x-goog-signature)=|sig%3D)([^\s"'&;,<>)}\]]{1,2000})()/gim,
  // password={…}, with }} for a brace in it (SQL Server), or with one that was forgotten to be doubled
  new RegExp(`(${word}\\s{0,9}=\\s{0,9})(\\{(?:[^}\\r\\n]|\\}\\}){1,500}\\}?[^\\s;&,"']{0,500})()`, "gi"),
  // password=…, password="…"
  new RegExp(`(${word}\\s{0,9}=\\s{0,9})(${quoted}|[^\\s"';&,)}\\]]+)()`, "gi"),
  // "password":"…", also as JSON within JSON
  new RegExp(`(${word}\\\\["']\\s{0,9}:\\s{0,9})(\\\\"[^"]{0,2000}"|'[^']{0,2000}')()`, "gi"),
  new RegExp(`(${word}["']\\s{0,9}:\\s{0,9})(${quoted})()`, "gi"),
  // X-Api-Key: …, Cookie: …, also with the name and the value in quotes
  /(\b(?:x-[\w-]{0,40}(?:key|token|secret|auth)|(?:set-)?cookie)["']?\s{0,9}:\s{0,9}["']?)([^\s"'|,][^\r\n"'|,]{0,2000})()/gi,
  // Authorization: scheme credential
  /(\b(?:proxy-)?authorization["']?\s{0,9}[:=]\s{0,9}["']?(?:[a-z][\w-]{0,30}\s{1,9})?)((?!\*\*\*)[^\s"'|][^\r\n"'|]{0,2000})()/gi,
  // password: …, but not "(using password: YES)" nor "Unexpected token: x"
  /(\b(?:password|passwd|pwd|passphrase|passcode|secret|api[_-]?key|private[_-]?key|(?<!(?:unexpected|unrecognized|mismatched|extraneous|missing|character|reserved|json|invalid|illegal|unknown|next|this|bad) )token)\s{0,9}:\s{0,9})((?!(?:YES|NO)\b)[^\s"';&,)}\]]+)()/gi,
  // password 'x', IDENTIFIED BY 'x' or "x" or x
  /(\b(?:password|passwd|passphrase)(?:\s{1,9}|\s{0,9}\(\s{0,9}))('[^'\r\n]{1,500}')()/gi,
  /(\bidentified\s{1,9}(?:with\s{1,9}\S{1,80}\s{1,9})?(?:by|as)\s{1,9}(?:password\s{1,9})?)('[^'\r\n]{1,500}'|"[^"\r\n]{1,500}"|[^\s"';,)]{1,500})()/gi,
  // --password x
  /((?:^|\s)--?(?:[\w-]{0,40}-)?(?:password|passwd|passphrase|pass|secret|token|api-?key)\s{1,9})("[^"]{1,500}"|'[^']{1,500}'|(?!-)[^\s"']{1,500})()/gim,
  // <password>x</password>
  new RegExp(`(<(?:[\\w.-]{0,40}[:._-])?${word}(?:\\s[^<>]{0,200})?>)([^<>]{1,2000})(</)`, "gi"),
  // An HTTP credential, but not "Basic authentication"
  /(\b(?:Bearer|Basic)\s{1,9})((?=[\w.~+/-]{0,2000}[\d=])[\w.~+/=-]{8,})()/g,
];

function maskInside(value: string): { text: string; secrets: string[] } {
  if (!/[=:@<]|Bearer|Basic|pass|secret|token|key|identified/i.test(value))
    return { text: value, secrets: [] };
  const secrets: string[] = [];
  const references = withReferences(value);
  let text = references.text;
  for (const find of patterns) {
    if (!canMatch(find, text)) continue;
    text = text.replace(find, (all: string, before: string, secret: string, after: string) => {
      const bare = secret.replace(/^\\?["']|\\?["']$/g, "");
      if (bare === "" || bare.startsWith(MASK) || /^(?:\uE000\d+\uE001)+$/.test(bare)) return all;
      secrets.push(references.back(bare));
      const quote = /^\\?["']/.exec(secret)?.[0] ?? "";
      return `${before}${quote}${MASK}${quote}${after}`;
    });
  }
  return { text: references.back(text), secrets: secrets.flatMap(withDecoded) };
}

/** A quick no for most texts. */
function canMatch(find: RegExp, text: string): boolean {
  return !/\(:?\??@\)$/.test(find.source) || text.includes("@");
}

/** Puts `${…}` out of the way of the patterns, in characters for private use. */
function withReferences(value: string): { text: string; back(text: string): string } {
  const kept: string[] = [];
  const text = value.replace(/\$\{[^{}]+\}/g, (reference) => `\uE000${kept.push(reference) - 1}\uE001`);
  return {
    text,
    back: (masked) => masked.replace(/\uE000(\d+)\uE001/g, (all, index) => kept[Number(index)] ?? all),
  };
}

/** A connection string has the percent-encoded form and JSON the escaped one, a trace often the plain one. */
function withDecoded(secret: string): string[] {
  const decoded = [decodeURIComponent, unescaped].map((decode) => {
    try {
      return decode(secret);
    } catch {
      return secret;
    }
  });
  return [...new Set([secret, ...decoded])];
}

function unescaped(secret: string): string {
  return secret.includes("\\") ? String(JSON.parse(`"${secret}"`)) : secret;
}

const SHORTEST = 4;

/** Values that the page shows anyway, such as a user name: a password equal to one of them cannot be hidden in texts. */
function publicValues(config: Config): Set<string> {
  const shown = Object.entries(config).filter(([key]) => !holdsSecret(key));
  return new Set(shown.map(([, value]) => value?.toLowerCase() ?? ""));
}

/** Finds the secrets in a text. Short and purely alphabetic ones only as whole words: "postgres" is in many a class name. */
function secretPattern(secrets: ReadonlySet<string>, shown: ReadonlySet<string>): RegExp | null {
  const usable = [...secrets]
    .filter((secret) => secret.length >= SHORTEST && !shown.has(secret.toLowerCase()))
    .filter((secret) => !/^(?:true|false|null|none)$/i.test(secret))
    .sort((a, b) => b.length - a.length);
  if (usable.length === 0) return null;
  const alternatives = usable.map((secret) => {
    const literal = secret.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
    const asWord = secret.length < 8 || /^[A-Za-z]+$/.test(secret);
    return asWord ? `(?<![\\w$]|\\w\\.)${literal}(?![\\w$]|\\.\\w)` : literal;
  });
  return new RegExp(alternatives.join("|"), "g");
}
