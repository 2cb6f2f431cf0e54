package io.agentworkspace.engine.memory.banks.transfer;

import static io.agentworkspace.engine.memory.banks.BankFixture.bank;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.agentworkspace.engine.model.access.Role;
import io.agentworkspace.engine.model.json.Json;
import io.agentworkspace.engine.testing.ClientApi;
import io.agentworkspace.engine.testing.Reply;
import io.agentworkspace.engine.testing.TestCaller;
import io.agentworkspace.engine.testing.TestTenant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Damaged and hostile files: an import answers with a sentence, and never calls a part the whole. */
class ImportFuzzTest {
    private static final int VARIANTS = 12;

    private final TestTenant tenant = new TestTenant();
    private final String key = tenant.key(ClientApi.REST, "zoe", Role.MEMBER, List.of("*"));
    private final TestCaller zoe = TestCaller.of(ClientApi.REST, key);
    private final Random random = new Random(51);

    /** Previews a file, and checks what holds for every answer. */
    private Reply checked(String format, byte[] file) {
        var response = TransferFiles.sent(key, "z", Map.of("format", format, "dry_run", "true"), file);
        var reply = new Reply(Json.readObject(response.body()));
        assertThat(response.statusCode()).as(reply.toString()).isIn(200, 400, 413, 422);
        if (response.statusCode() != 200) {
            assertThat(reply.text("/detail")).as(reply.toString()).isNotBlank().hasSizeLessThan(1_000);
            return reply;
        }
        var refused = reply.at("/reasons")
                .valueStream()
                .mapToLong(each -> each.path("count").asLong())
                .sum();
        assertThat(reply.at("/reasons").size()).isLessThanOrEqualTo(21);
        assertThat(reply.at("/complete").asBoolean()).as(reply.toString()).isEqualTo(refused == 0);
        return reply;
    }

    private byte[] flipped(byte[] file) {
        var changed = file.clone();
        for (var i = 0; i <= file.length / 200; i++) {
            changed[random.nextInt(changed.length)] = (byte) random.nextInt(256);
        }
        return changed;
    }

    private byte[] truncated(byte[] file) {
        return java.util.Arrays.copyOf(file, random.nextInt(file.length));
    }

    @Test
    void damagedSamplesAreAnsweredWithASentence() {
        bank(zoe, "z");
        for (var product : ImportSamples.PRODUCTS) {
            for (var file : ImportSamples.files(product).values()) {
                var bytes = file.getBytes(UTF_8);
                IntStream.range(0, VARIANTS).forEach(_ -> {
                    checked(product, truncated(bytes));
                    checked("auto", flipped(bytes));
                });
                checked(
                        "auto",
                        file.replaceAll("\"[^\"]{3,20}\"", "\"\\\\u0000\\\\ud800\"")
                                .getBytes(UTF_8));
                checked("auto", file.replaceAll(": *\"", ": [\"").getBytes(UTF_8));
                checked("auto", file.replaceAll("\"[^\"\\n]{12,}\"", "\"  \"").getBytes(UTF_8));
                checked(
                        product,
                        file.replaceAll("\\d{6,}", "99999999999999999999").getBytes(UTF_8));
            }
            var zip = ImportSamples.zip(product);
            IntStream.range(0, VARIANTS).forEach(_ -> {
                checked("auto", flipped(zip));
                checked(product, truncated(zip));
            });
        }
        assertThat(zoe.call("MB_Read", "{'target':{'bank':'z'}}").at("/content"))
                .isEmpty();
    }

    @Test
    void whatAnImportMayHaveIsBounded() {
        bank(zoe, "z");
        var deep = "[{\"memory\":\"a\",\"user_id\":\"u\",\"metadata\":" + "[".repeat(50_000) + "]".repeat(50_000) + "},"
                + "{\"memory\":\"b\",\"user_id\":\"u\"}]";
        var nested = checked("auto", deep.getBytes(UTF_8));
        assertThat(nested.number("/stored")).isEqualTo(1);
        assertThat(nested.text("/reasons/0/note")).contains("nested");
        assertThat(nested.number("/reasons/0/line")).isEqualTo(1);
        var wide = "[{\"memory\":\"a\",\"user_id\":\"" + "x".repeat(17 << 20)
                + "\"},{\"memory\":\"b\",\"user_id\":\"u\"}]";
        assertThat(checked("mem0", wide.getBytes(UTF_8)).text("/reasons/0/note"))
                .contains("bytes");
        var vector = "[" + "0.125,".repeat(1_024) + "1]";
        var facts = IntStream.range(0, 300)
                .mapToObj(i -> "{\"fact\":\"f%d\",\"uuid\":\"e%d\",\"fact_embedding\":%s}".formatted(i, i, vector))
                .collect(Collectors.joining(",", "{\"edges\":[", "]}"));
        assertThat(checked("auto", facts.getBytes(UTF_8)).number("/stored")).isEqualTo(300);
        var values = IntStream.range(0, 9_000)
                .mapToObj(i -> "{\"memory\":\"m%d\",\"user_id\":\"u\",\"metadata\":{\"a\":[\"%s\"]}}"
                        .formatted(i, "x\",\"".repeat(20)))
                .collect(Collectors.joining(",", "{\"results\":[", "]}"));
        assertThat(checked("auto", values.getBytes(UTF_8)).number("/stored")).isEqualTo(9_000);
        var loop = ImportSamples.text("chatgpt/conversations.json").replace("\"parent\": null", "\"parent\": \"n6\"");
        assertThat(checked("auto", loop.getBytes(UTF_8)).number("/documents/found"))
                .isEqualTo(1);
        var many = IntStream.range(0, 300)
                .mapToObj(i -> "{\"memory\":%d,\"user_id\":\"u\"}".formatted(i))
                .collect(Collectors.joining("\n"));
        var wrong = checked("mem0", many.getBytes(UTF_8));
        assertThat(wrong.at("/reasons")).hasSize(1);
        assertThat(wrong.number("/reasons/0/count")).isEqualTo(300);
        assertThat(wrong.at("/refusals")).isEmpty();
        var times = "[{\"memory\":\"t\",\"user_id\":\"u\",\"created_at\":\"2999-01-01\"},"
                + "{\"memory\":\"o\",\"user_id\":\"u\",\"created_at\":1e300,\"metadata\":{\"x\":\"%s\"}}]"
                        .formatted("y".repeat(9_000));
        var future = checked("auto", times.getBytes(UTF_8));
        assertThat(future.number("/stored")).isEqualTo(2);
        assertThat(future.number("/left_out/0/count")).isEqualTo(2);
    }

    @Test
    void hostileZipsAreRefusedAsAWhole() {
        bank(zoe, "z");
        var memory = "[{\"memory\":\"a\",\"user_id\":\"u\"}]";
        for (var hostile : List.of(
                Map.of("../m.json", memory),
                Map.of("/etc/m.json", memory),
                Map.of("C:/m.json", memory),
                Map.of("a\\..\\m.json", memory),
                Map.of("link.json", "-> /etc/passwd"))) {
            assertThat(checked("auto", TransferFiles.zip(hostile)).text("/detail"))
                    .startsWith("the file '");
        }
        var files = new LinkedHashMap<String, String>();
        IntStream.range(0, 20_001).forEach(i -> files.put(i + ".json", "{}"));
        assertThat(checked("auto", TransferFiles.zip(files)).text("/detail")).contains("20,001 files");
        var blanks = "[" + " ".repeat(60 << 20);
        var bomb = IntStream.range(0, 9).boxed().collect(Collectors.toMap(i -> i + ".json", _ -> blanks));
        assertThat(checked("auto", TransferFiles.zip(bomb)).text("/detail")).contains("the unpacked zip");
        var inner = checked("auto", TransferFiles.zip(Map.of("m.json", memory, "inner.zip", "PK", "x.png", "x")));
        assertThat(inner.number("/stored")).isEqualTo(1);
        assertThat(inner.number("/left_out/0/count")).isEqualTo(2);
    }
}
