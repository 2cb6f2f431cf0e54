package io.agentworkspace.engine.memory.banks.transfer.source;

import io.agentworkspace.engine.model.json.Json;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/** Reads JSON lines: a line that cannot be read does not hide the next ones. */
final class JsonLines {
    private final LineReader lines;
    private long number;

    JsonLines(InputStream in) {
        this.lines = new LineReader(in, ImportSource.MOST_UNPACKED, JsonValues.MOST);
    }

    JsonValues.@Nullable Value next() throws IOException {
        for (var line = lines.next(); line != null; line = lines.next()) {
            number++;
            if (line.fault() != null) {
                return JsonValues.Value.broken(number, line.fault());
            }
            if (!line.text().isBlank()) {
                return parsed(line.text());
            }
        }
        return null;
    }

    private JsonValues.Value parsed(String text) {
        try {
            var json = Json.readForeign(text.getBytes(StandardCharsets.UTF_8));
            return new JsonValues.Value(number, json, text.length(), null);
        } catch (IllegalArgumentException e) {
            return JsonValues.Value.broken(number, "the line " + e.getMessage());
        }
    }
}
