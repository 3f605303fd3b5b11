import { describe, expect, test } from "vitest";
import { maskConfig, maskText } from "./mask";
import cases from "./testing/cases.json";

test("CON-12 secrets are hidden, what only sounds like one is shown", () => {
  const { config, plaintextSecrets } = maskConfig(cases["CON-12"].input);
  const reference = cases["CON-12"].input["database.sslpassword"];
  expect(config).toEqual({
    ...cases["CON-12"].input,
    "database.password": "***",
    "schema.history.internal.consumer.sasl.jaas.config": "***",
    "mongodb.connection.string": "mongodb://dbz:***@h1:27017/?replicaSet=rs0",
    "database.sslpassword": reference,
  });
  expect(plaintextSecrets).toEqual([
    "database.password",
    "mongodb.connection.string",
    "schema.history.internal.consumer.sasl.jaas.config",
  ]);
});

describe("by the name of the setting", () => {
  test.each([
    "database.password",
    "database.ssl.keystore.password",
    "ssl.key.password",
    "ssl.keystore.key",
    "connection.password",
    "aws.secret.access.key",
    "aws.secret.key",
    "gcp.spanner.credentials.json",
    "value.converter.basic.auth.user.info",
    "producer.override.sasl.jaas.config",
    "influxdb.token",
    "privateKey",
    "snowflake.private.key",
    "snowflake.private.key.passphrase",
    "http.authorization.header",
    "azure.account.key",
    "api-key",
    "db.pwd",
  ])("%s holds one", (key) => {
    const { config, plaintextSecrets } = maskConfig({ [key]: "Xk29-value" });
    expect(config[key]).toBe("***");
    expect(plaintextSecrets).toEqual([key]);
  });

  test.each([
    "signal.kafka.topic",
    "key.converter",
    "message.key.columns",
    "database.user",
    "tombstones.on.delete",
    "snapshot.locking.mode",
    "basic.auth.credentials.source",
    "sasl.oauthbearer.token.endpoint.url",
    "gcp.spanner.credentials.path",
    "ssl.keystore.location",
    "sasl.mechanism",
    "aws.credentials.provider.class",
    "database.sslkey",
    "transforms.route.key.field.name",
    "errors.deadletterqueue.topic.name",
  ])("%s holds none", (key) => {
    const { config, plaintextSecrets } = maskConfig({ [key]: "Xk29-value" });
    expect(config[key]).toBe("Xk29-value");
    expect(plaintextSecrets).toEqual([]);
  });

  test("references, empty values and what is masked already are no secrets in clear", () => {
    const input = {
      a_password: `\${file:/secrets/c.properties:PW}`,
      b_password: `\${vault:secret/db:user}-\${env:PW}`,
      c_password: "",
      d_password: "****************",
      e_password: "[hidden]",
      f_password: null,
      "sasl.jaas.config": `x.ScramLoginModule required username="u" password="\${env:PW}";`,
      "mongodb.connection.string": `mongodb://u:\${file:/x/y:pw}@h1:27017`,
    };
    expect(maskConfig(input)).toMatchObject({
      config: { ...input, b_password: "***" },
      plaintextSecrets: ["b_password"],
    });
  });

  test("the salt that Debezium takes in a setting's name", () => {
    const { config } = maskConfig({
      "column.mask.hash.SHA-256.with.salt.CzQMA0cB5K": "inventory.orders.name",
    });
    expect(config).toEqual({ "column.mask.hash.SHA-256.with.salt.***": "inventory.orders.name" });
  });
});

describe("inside a text", () => {
  test.each([
    ["mongodb://dbz:pa%24s@h1:27017,h2/?replicaSet=rs0", "mongodb://dbz:***@h1:27017,h2/?replicaSet=rs0"],
    ["mongodb+srv://u:p@ss@h/x", "mongodb+srv://u:***@h/x"],
    ["amqp://u:pa/ss@h/x", "amqp://u:***@h/x"],
    ["https://:pw@h", "https://:***@h"],
    [
      "jdbc:postgresql://h:5432/db?user=u&password=p%20w&ssl=true",
      "jdbc:postgresql://h:5432/db?user=u&password=***&ssl=true",
    ],
    [
      "jdbc:sqlserver://h:1433;user=u;password=pw;encrypt=true",
      "jdbc:sqlserver://h:1433;user=u;password=***;encrypt=true",
    ],
    ["jdbc:oracle:thin:scott/tiger@h:1521/x", "jdbc:oracle:thin:scott/***@h:1521/x"],
    ['required username="u" password="p;w" x="y";', 'required username="u" password="***" x="y";'],
    ['{"user":"u","db_password": "p\\u0022w"}', '{"user":"u","db_password": "***"}'],
    ["AccountName=a;AccountKey=abc==;", "AccountName=a;AccountKey=***;"],
    ["Authorization: Bearer eyJhbGciOi.J9", "Authorization: Bearer ***"],
    ["password: hunter2 refused", "password: *** refused"],
  ])("%s", (text, masked) => {
    expect(maskText(text)).toBe(masked);
  });

  test.each([
    "Access denied for user 'cdc'@'localhost' (using password: YES)",
    'FATAL: password authentication failed for user "cdc"',
    "Basic authentication required",
    "http://h:8083/a and b@c",
    "jdbc:postgresql://h1:5432,h2:5432/db",
    "Unexpected token: x",
    "mismatched token: x",
    "\tat io.debezium.pipeline.ErrorHandler.setProducerThrowable(ErrorHandler.java:67)",
  ])("stays: %s", (text) => {
    expect(maskText(text)).toBe(text);
  });

  test("no text takes long, however it is made", () => {
    const long = 300_000;
    for (const text of [
      "x".repeat(long),
      "a.".repeat(long / 2),
      "password".repeat(long / 8),
      "a://b:".repeat(long / 6),
      `${"a://b:".repeat(long / 6)}@`,
      `${"jdbc:oracle:a:".repeat(long / 14)}@`,
      "=".repeat(long),
    ]) {
      const start = performance.now();
      maskText(text);
      expect(performance.now() - start).toBeLessThan(3_000);
    }
  });
});

describe("secrets wherever they stand", () => {
  test("in other settings and in traces, decoded too", () => {
    const { config, mask } = maskConfig({
      "database.password": "s3cr3t!",
      "mongodb.connection.string": "mongodb://u:pa%24sword@h",
      "basic.auth.user.info": "me:Xy7-Zz9q",
      "some.note": "as before: s3cr3t!, me and pa$sword",
    });
    expect(config["some.note"]).toBe("as before: ***, me and ***");
    expect(mask("login s3cr3t!\n at x (pa%24sword, pa$sword, Xy7-Zz9q)")).toBe(
      "login ***\n at x (***, ***, ***)",
    );
  });

  test("but no short one, none that is shown anyway, and no part of a word", () => {
    const { config, mask } = maskConfig({
      "connector.class": "io.debezium.connector.postgresql.PostgresConnector",
      "topic.prefix": "shop-x",
      "table.include.list": "public.orders",
      "database.user": "cdcuser",
      "database.password": "cdcuser",
      "other.password": "a",
      "third.password": "postgres",
      "fourth.password": "orders",
      "fifth.password": "1234",
      "sixth.password": "debezium",
    });
    expect(config["table.include.list"]).toBe("public.orders");
    expect(config["connector.class"]).toBe("io.debezium.connector.postgresql.PostgresConnector");
    const trace =
      'org.postgresql.util.PSQLException: user "cdcuser" at port 12345\n\tat io.debezium.x.Y(Y.java:1)';
    expect(mask(trace)).toBe(trace);
    expect(mask('said "postgres", 1234 and debezium.')).toBe('said "***", *** and ***.');
  });
});

describe("every place where a secret is usual", () => {
  const pem = "-----BEGIN RSA PRIVATE KEY-----\\nREST1234abcd\\n-----END RSA PRIVATE KEY-----\\n";
  test.each([
    ["keyfile", `{"type":"x","private_key":"${pem}"}`],
    ["keyfile", pem.replaceAll("\\n", "\n")],
    ["some.note", `see -----BEGIN PRIVATE KEY-----\nREST1234abcd`],
    ["azure.url", "https://a.blob.core.windows.net/c?sv=2024&sig=REST1234%3D&se=1"],
    ["azure.url", "https://a.blob.core.windows.net/c?sig=REST1234%3D"],
    ["some.url", "https://b.example/o?Signature=REST1234&Expires=1"],
    ["http.headers", "Accept: x|X-Api-Key: REST1234"],
    ["http.headers", "Cookie: sid=REST1234; b=REST5678"],
    ["http.headers", "Authorization: Custom REST1234 REST5678"],
    ["http.headers", "Authorization: REST1234"],
    ["pw", "REST1234"],
    ["database.pw", "REST1234"],
    ["passcode", "REST1234"],
    ["pin", "7654321REST"],
    ["auth", "u:REST1234"],
    ["api.auth", "REST1234"],
    ["client.key", "REST1234"],
    ["hmac.key", "REST1234"],
    ["session.cookie", "REST1234"],
    ["web.hook", "https://hooks.slack.com/services/T0REST/B0REST/REST1234"],
    ["some.url", "https://REST1234@git.example/x"],
    ["some.url", "https://REST1234:@git.example/x"],
    ["some.json", '{"password":"ab\\"REST","user":"u"}'],
    ["connection.url", "jdbc:sqlserver://h:1433;password={x}REST};encrypt=true"],
    ["connection.url", "jdbc:sqlserver://h:1433;password={x;REST};encrypt=true"],
    ["database.password", `\${file:/x:y}REST1234`],
    ["database.password", `\${file:/x:y}12345678`],
    ["connection.url", "jdbc:sqlserver://h:1433;password={x}REST}"],
    ["connection.url", "jdbc:sqlserver://h:1433;password={x{y;REST};encrypt=true"],
    ["key.converter.basic.auth.user.info", "u:REST1234"],
    ["some.json", `{"password":"${"REST".repeat(1_000)}"}`],
    ["sessionCookie", "REST1234"],
    ["dbPw", "REST1234"],
    ["some.url", "https://h.example/?s=sv%3D1%26sig%3DREST1234"],
    ["some.xml", '<password type="a">REST1234</password>'],
    ["some.args", "--user u --password REST1234"],
    ["some.xml", "<a><password>REST1234</password></a>"],
  ])("setting %s: %s", (key, value) => {
    const { config, plaintextSecrets } = maskConfig({ [key]: value });
    expect(config[key]).not.toMatch(/REST|12345678/);
    expect(config[key]).toContain("***");
    expect(plaintextSecrets).toEqual([key]);
  });

  test.each([
    ["auth", "none"],
    ["api.auth", "basic"],
    ["auth", "true"],
    ["key.converter", "org.apache.kafka.connect.json.JsonConverter"],
    ["key.converter.schemas.enable", "false"],
    ["message.key.columns", "a.b:c;d.password:id;e.token:id"],
    ["column.exclude.list", "a.password,b.token"],
    ["ssl.client.auth", "required"],
    ["tokenEndpointUrl", "https://h/x"],
    ["some.primary.key.fields", "id"],
    ["primary.key.mode", "record_key"],
    ["pk.mode", "record_key"],
    ["key.ignore", "true"],
    ["some.url", "https://hooks.example/x"],
    ["database.pw", `\${file:/x:y}\${env:Z}`],
  ])("but not in %s: %s", (key, value) => {
    expect(maskConfig({ [key]: value })).toMatchObject({ config: { [key]: value }, plaintextSecrets: [] });
  });

  test.each([
    "passphrase: REST1234",
    "token: REST1234",
    "api_key: REST1234",
    "X-Api-Key: REST1234",
    "with password 'REST1234'",
    "CREATE USER a IDENTIFIED BY 'REST1234'",
    '{"privateKey":"REST1234"}',
    "Authorization: Digest REST1234, b=REST5678",
    "GET /c?x=1&sig=REST1234 failed",
    "sig=REST1234",
    "PASSWORD('REST1234')",
    "pwd: REST1234",
    "<password>REST1234</password>",
    '{\\"password\\":\\"REST1234\\"}',
  ])("trace: %s", (text) => {
    expect(maskText(text)).not.toContain("REST");
  });

  test("a secret with escapes is found without them too", () => {
    const { mask } = maskConfig({ "some.json": '{"password":"ab\\"cdefgh"}' });
    expect(mask('login with ab"cdefgh failed')).toBe("login with *** failed");
  });

  test("and what stands around it stays", () => {
    expect(maskText("a?sig=x1%3D&se=1")).toBe("a?sig=***&se=1");
    expect(maskText("jdbc:sqlserver://h;password={x}y};encrypt=true")).toBe(
      "jdbc:sqlserver://h;password=***;encrypt=true",
    );
    expect(maskText("jdbc:sqlserver://h;password={x};p={y};encrypt=true")).toBe(
      "jdbc:sqlserver://h;password=***;p={y};encrypt=true",
    );
    expect(maskText("CREATE USER a IDENTIFIED BY 'x' ACCOUNT LOCK")).toBe(
      "CREATE USER a IDENTIFIED BY '***' ACCOUNT LOCK",
    );
  });

  test("no such text takes long either", () => {
    for (const part of [
      "-----BEGIN PRIVATE KEY-----",
      "password={",
      "password={}",
      "<password>",
      "--password ",
      "x-x-",
      "authorization: ",
      "https://hooks.",
      "identified by ",
      'password":"\\"',
      "a-",
      "&sig=",
      "cookie: ",
    ]) {
      const start = performance.now();
      maskText(part.repeat(300_000 / part.length));
      expect(performance.now() - start, part).toBeLessThan(3_000);
    }
  });
});
