import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.BufferedReader;
import java.io.FileInputStream;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Base64;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.concurrent.Future;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.header.internals.RecordHeaders;
import org.apache.kafka.common.serialization.ByteArraySerializer;

/**
 * Writes records with Kafka's own client as lines of JSON on standard input say, and answers each line with one. Arguments:
 * the brokers, and a file of client settings such as a login. lab/java-client.ts knows the lines.
 */
public final class Produce {
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final Map<String, KafkaProducer<byte[], byte[]>> PRODUCERS = new HashMap<>();

  public static void main(String[] arguments) throws Exception {
    PrintStream answers = System.out;
    // Whatever logs must not speak between the answers.
    System.setOut(System.err);
    Properties common = new Properties();
    if (arguments.length > 1) {
      try (FileInputStream file = new FileInputStream(arguments[1])) {
        common.load(file);
      }
    }
    common.put(ProducerConfig.BOOTSTRAP_SERVERS_CONFIG, arguments[0]);
    BufferedReader lines = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
    for (String line = lines.readLine(); line != null; line = lines.readLine()) {
      ObjectNode answer = JSON.createObjectNode();
      try {
        run(JSON.readTree(line), common, answer);
      } catch (Exception error) {
        answer.put("error", String.valueOf(error));
      }
      answers.println(JSON.writeValueAsString(answer));
      answers.flush();
    }
    // An open transaction stays open, as after a crash.
    System.exit(0);
  }

  private static void run(JsonNode step, Properties common, ObjectNode answer) throws Exception {
    KafkaProducer<byte[], byte[]> producer = producer(step, common);
    switch (step.get("do").asText()) {
      case "begin" -> producer.beginTransaction();
      case "commit" -> producer.commitTransaction();
      case "abort" -> producer.abortTransaction();
      case "batch" -> send(producer, step, answer.putArray("offsets"));
      default -> throw new IllegalArgumentException("unknown step " + step.get("do"));
    }
  }

  /** One producer a name, made when it is first named. */
  private static KafkaProducer<byte[], byte[]> producer(JsonNode step, Properties common) {
    return PRODUCERS.computeIfAbsent(
        step.get("producer").asText(),
        name -> {
          Properties settings = new Properties();
          settings.putAll(common);
          settings.put(ProducerConfig.COMPRESSION_TYPE_CONFIG, step.get("codec").asText());
          settings.put(ProducerConfig.ENABLE_IDEMPOTENCE_CONFIG, step.get("idempotent").asText());
          // All records of a step wait for its flush, and so make one batch as long as they fit in.
          settings.put(ProducerConfig.LINGER_MS_CONFIG, 60_000);
          settings.put(ProducerConfig.BATCH_SIZE_CONFIG, 900_000);
          boolean transactional = step.hasNonNull("transactionalId");
          if (transactional) {
            settings.put(ProducerConfig.TRANSACTIONAL_ID_CONFIG, step.get("transactionalId").asText());
            settings.put(ProducerConfig.TRANSACTION_TIMEOUT_CONFIG, 600_000);
          }
          ByteArraySerializer bytes = new ByteArraySerializer();
          KafkaProducer<byte[], byte[]> made = new KafkaProducer<>(settings, bytes, bytes);
          if (transactional) made.initTransactions();
          return made;
        });
  }

  private static void send(KafkaProducer<byte[], byte[]> producer, JsonNode step, ArrayNode offsets)
      throws Exception {
    List<Future<RecordMetadata>> sent = new ArrayList<>();
    for (JsonNode record : step.get("records")) {
      RecordHeaders headers = new RecordHeaders();
      for (JsonNode header : record.get("headers")) headers.add(header.get(0).asText(), bytes(header.get(1)));
      sent.add(
          producer.send(
              new ProducerRecord<>(
                  step.get("topic").asText(),
                  step.get("partition").asInt(),
                  record.get("timestamp").asLong(),
                  bytes(record.get("key")),
                  bytes(record.get("value")),
                  headers)));
    }
    producer.flush();
    for (Future<RecordMetadata> one : sent) offsets.add(one.get().offset());
  }

  private static byte[] bytes(JsonNode base64) {
    return base64 == null || base64.isNull() ? null : Base64.getDecoder().decode(base64.asText());
  }
}
