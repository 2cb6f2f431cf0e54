package io.agentworkspace.engine.rest.files;

import io.agentworkspace.engine.model.json.Json;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.time.LocalDateTime;
import java.time.ZoneOffset;
import java.util.zip.ZipEntry;
import java.util.zip.ZipOutputStream;
import tools.jackson.databind.JsonNode;

/**
 * Writes the pages of a tool's answer as one file: its content as JSON lines, or the {@code parts} that it gives instead, as a text or
 * as a zip.
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
        /** How many files a zip has at most: it lists all of them at its end, so they are held in memory until then. */
        private static final int MOST = 20_000;

        private final ZipOutputStream zip;
        private int files;

        Folder(OutputStream to) {
            zip = new ZipOutputStream(to, StandardCharsets.UTF_8);
        }

        @Override
        public void write(JsonNode page) throws IOException {
            for (var part : page.path("parts")) {
                if (++files > MOST) {
                    throw new IOException("a zip has at most %,d files".formatted(MOST));
                }
                var entry = new ZipEntry(part.path("path").asString());
                if (part.path("updated_at").isString()) {
                    var at = Instant.parse(part.path("updated_at").asString());
                    entry.setTimeLocal(LocalDateTime.ofInstant(at, ZoneOffset.UTC));
                }
                zip.putNextEntry(entry);
                zip.write(text(part));
                zip.closeEntry();
            }
            zip.flush();
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
