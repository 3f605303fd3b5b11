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
