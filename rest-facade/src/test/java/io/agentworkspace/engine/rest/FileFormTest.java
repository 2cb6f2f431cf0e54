package io.agentworkspace.engine.rest;

import static org.assertj.core.api.Assertions.assertThat;

import io.agentworkspace.engine.model.json.Json;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Set;
import org.junit.jupiter.api.Test;

class FileFormTest {
    /** A name overflowed the stack. */
    @Test
    void aLongFileNameIsRead() throws IOException {
        var name = "n".repeat(7_000) + "\\\"";
        var form = "--b\r\nContent-Disposition: form-data; name=\"file\"; filename=\"%s\"\r\n\r\nx\r\n--b--\r\n"
                .formatted(name);
        var sent = FileForm.read(
                new ByteArrayInputStream(form.getBytes(StandardCharsets.UTF_8)),
                "multipart/form-data; boundary=b",
                Set.of(),
                Json.object(),
                (_, _) -> {});
        assertThat(sent.name()).isEqualTo("n".repeat(7_000) + "\"");
    }
}
