package io.agentworkspace.engine.rest.files;

import io.agentworkspace.engine.model.json.Json;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.HashSet;
import java.util.Locale;
import java.util.Set;
import java.util.zip.ZipEntry;
import java.util.zip.ZipOutputStream;
import tools.jackson.databind.JsonNode;

/**
 * Writes the pages of a tool's answer as one file: its content as JSON lines, or the {@code parts} that it gives instead, as a text or
 * as a zip. The tool limits how many files a zip has.
 */
public sealed interface PageWriter extends AutoCloseable {
    String ZIP = "application/zip";

    void write(JsonNode page) throws IOException;

    /** Ends the file. */
    @Override
    default void close() throws IOException {}

    static PageWriter of(String mediaType, OutputStream to) {
        return mediaType.equals(ZIP) ? new Folder(to) : new Text(to);
    }

    /** A file of lines or texts. */
    final class Text implements PageWriter {
        private final OutputStream to;

        Text(OutputStream to) {
            this.to = to;
        }

        @Override
        public void write(JsonNode page) throws IOException {
            for (var line : page.path("content")) {
                to.write(Json.bytes(line));
                to.write('\n');
            }
            for (var part : page.path("parts")) {
                to.write(text(part));
            }
            to.flush();
        }
    }

    /** A zip of files. */
    final class Folder implements PageWriter {
        private final ZipOutputStream zip;
        private final Set<String> paths = new HashSet<>();

        Folder(OutputStream to) {
            zip = new ZipOutputStream(to, StandardCharsets.UTF_8);
        }

        @Override
        public void write(JsonNode page) throws IOException {
            for (var part : page.path("parts")) {
                var entry = new ZipEntry(unique(part.path("path").asString()));
                if (part.path("updated_at").isString()) {
                    entry.setTime(
                            Instant.parse(part.path("updated_at").asString()).toEpochMilli());
                }
                zip.putNextEntry(entry);
                zip.write(text(part));
                zip.closeEntry();
            }
            zip.flush();
        }

        /** Returns the path, with a number if another file has it. */
        private String unique(String path) {
            var unique = path;
            for (var number = 2; !paths.add(unique.toLowerCase(Locale.ROOT)); number++) {
                var end = path.lastIndexOf('.');
                unique = "%s %d%s".formatted(path.substring(0, end), number, path.substring(end));
            }
            return unique;
        }

        @Override
        public void close() throws IOException {
            zip.finish();
        }
    }

    private static byte[] text(JsonNode part) {
        return part.path("text").asString().getBytes(StandardCharsets.UTF_8);
    }
}
