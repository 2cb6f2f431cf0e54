package io.agentworkspace.engine.memory.banks.transfer;

import io.agentworkspace.engine.kernel.scheduling.StepAllowance;
import io.agentworkspace.engine.memory.banks.transfer.ImportReport.RefusedLine;
import io.agentworkspace.engine.model.json.Json;
import io.agentworkspace.engine.model.problem.Problem;
import io.agentworkspace.engine.model.text.QuotedText;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.regex.Pattern;
import java.util.zip.ZipEntry;
import org.apache.commons.compress.archivers.zip.ZipArchiveEntry;
import org.apache.commons.compress.archivers.zip.ZipFile;
import org.apache.commons.compress.utils.SeekableInMemoryByteChannel;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.node.ObjectNode;

/**
 * The sections of a Markdown text, or of a folder of them as a zip. Zips come from untrusted sources: one with anything
 * but plain files in plain folders is refused as a whole.
 *
 * @param skipped the files that are not Markdown, or cannot be read
 */
record MarkdownFolder(List<Section> sections, List<RefusedLine> skipped) {
    /** The maximum size of a zip or a text, in bytes. */
    static final int MOST_BYTES = 8 << 20;

    /** The maximum size of all files of a zip together, in bytes. */
    private static final int MOST_UNPACKED = 32 << 20;

    private static final int MOST_FILES = 2_000;

    /** How many characters are read: more than any import has, so it ends only when the client has gone. */
    private static final long MOST_STEPS = 4L * MOST_UNPACKED;

    private static final int KIND_OF_FILE = 0xF000;
    private static final int PLAIN = 0x8000;
    private static final int FOLDER = 0x4000;
    private static final Pattern MARKDOWN = Pattern.compile(".*\\.(md|mdc|markdown)", Pattern.CASE_INSENSITIVE);
    private static final Pattern ARCHIVE =
            Pattern.compile(".*\\.(zip|jar|tar|tgz|gz|bz2|xz|7z|rar|zst)", Pattern.CASE_INSENSITIVE);
    private static final Pattern CLUTTER =
            Pattern.compile("__MACOSX/.*|(.*/)?(\\.DS_Store|Thumbs\\.db|\\.git/.*|node_modules/.*)");

    /** The earliest date that a zip can have, for files without one. */
    private static final Instant NO_DATE = Instant.parse("1980-01-02T00:00:00Z");

    /**
     * A section of a file.
     *
     * @param line the line of its heading
     */
    record Section(
            String file,
            long line,
            String name,
            String text,
            @Nullable Instant createdAt) {
        /** Returns it as a line of an import. */
        ObjectNode memory() {
            var memory = Json.object().put("name", name).put("text", text);
            if (createdAt != null) {
                memory.set("created_at", Json.valueTree(createdAt));
            }
            return memory;
        }
    }

    static MarkdownFolder ofText(byte[] text) {
        if (text.length > MOST_BYTES) {
            throw Problem.tooLarge("the text", text.length, MOST_BYTES, "bytes or more");
        }
        var decoded = decoded(text);
        if (decoded == null) {
            throw Problem.invalid("data", "must be Markdown in UTF-8, or a zip of such files");
        }
        var reader = new MarkdownSections(allowance());
        reader.read("", decoded, null);
        return new MarkdownFolder(reader.sections(), List.of());
    }

    static MarkdownFolder ofZip(byte[] zip) {
        if (zip.length > MOST_BYTES) {
            throw Problem.tooLarge("the zip", zip.length, MOST_BYTES, "bytes or more");
        }
        checkCount(zip);
        try (var archive = ZipFile.builder()
                .setSeekableByteChannel(new SeekableInMemoryByteChannel(zip))
                .get()) {
            return read(archive);
        } catch (Problem problem) {
            throw problem;
        } catch (IOException | RuntimeException e) {
            // The library throws many types of exceptions for bytes that are not a zip.
            throw Problem.invalid("the zip", "must be complete: this one cannot be read");
        }
    }

    private static StepAllowance allowance() {
        return new StepAllowance(MOST_STEPS, () -> Problem.invalid("data", "takes too long to divide into sections"));
    }

    /** Counts the entries of the zip's directory by their signature, before anything is read from it. */
    private static void checkCount(byte[] zip) {
        var count = 0;
        for (var i = 0; i + 3 < zip.length; i++) {
            count += zip[i] == 'P' && zip[i + 1] == 'K' && zip[i + 2] == 1 && zip[i + 3] == 2 ? 1 : 0;
        }
        if (count > MOST_FILES) {
            throw Problem.tooLarge("the zip", count, MOST_FILES, "files");
        }
    }

    private static MarkdownFolder read(ZipFile archive) throws IOException {
        var all = Collections.list(archive.getEntries());
        all.forEach(MarkdownFolder::check);
        var reader = new MarkdownSections(allowance());
        var skipped = new ArrayList<RefusedLine>();
        long unpacked = 0;
        for (var entry : all) {
            var path = entry.getName();
            if (entry.isDirectory() || CLUTTER.matcher(path).matches()) {
                continue;
            }
            if (!MARKDOWN.matcher(path).matches()) {
                skipped.add(new RefusedLine(
                        1, excerpt(path), "is not Markdown: only .md, .mdc and .markdown are imported"));
                continue;
            }
            var bytes = bytes(archive, entry, MOST_UNPACKED - unpacked);
            unpacked += bytes.length;
            add(entry, bytes, reader, skipped);
        }
        return new MarkdownFolder(reader.sections(), skipped);
    }

    private static void add(ZipArchiveEntry entry, byte[] bytes, MarkdownSections reader, List<RefusedLine> skipped) {
        var text = decoded(bytes);
        if (text == null) {
            skipped.add(new RefusedLine(1, excerpt(entry.getName()), "is not valid UTF-8"));
            return;
        }
        reader.read(entry.getName(), text, date(entry));
    }

    /** Refuses what no folder of notes has. */
    private static void check(ZipArchiveEntry entry) {
        var path = entry.getName();
        var parts = List.of(path.replace('\\', '/').split("/", -1));
        if (path.startsWith("/") || path.indexOf('\\') >= 0 || path.matches("[A-Za-z]:.*") || parts.contains("..")) {
            throw invalid(path, "must be inside the folder: no absolute path, no backslash and no '..'");
        }
        var kind = entry.getUnixMode() & KIND_OF_FILE;
        if (entry.isUnixSymlink() || kind != PLAIN && kind != FOLDER && kind != 0) {
            throw invalid(path, "must be a plain file, not a link or a device");
        }
        if (entry.getGeneralPurposeBit().usesEncryption()) {
            throw invalid(path, "must not be encrypted");
        }
        if (entry.getMethod() != ZipEntry.STORED && entry.getMethod() != ZipEntry.DEFLATED) {
            throw invalid(path, "must be stored, or compressed with the usual method (deflate)");
        }
        if (ARCHIVE.matcher(path).matches()) {
            throw invalid(path, "must not be an archive itself: unpack it first");
        }
    }

    private static Problem invalid(String path, String rule) {
        return Problem.invalid("the file '%s'".formatted(excerpt(path)), rule);
    }

    private static String excerpt(String path) {
        return QuotedText.shortened(path.replaceAll("\\p{Cc}", "?"));
    }

    /** What an entry claims about its size is ignored. */
    private static byte[] bytes(ZipFile archive, ZipArchiveEntry entry, long room) throws IOException {
        try (var in = archive.getInputStream(entry)) {
            var bytes = in.readNBytes((int) room + 1);
            if (bytes.length > room) {
                throw Problem.tooLarge("the unpacked zip", (long) MOST_UNPACKED + 1, MOST_UNPACKED, "bytes or more");
            }
            return bytes;
        }
    }

    private static @Nullable String decoded(byte[] bytes) {
        try {
            var text = StandardCharsets.UTF_8
                    .newDecoder()
                    .decode(ByteBuffer.wrap(bytes))
                    .toString();
            return text.indexOf('\0') >= 0 ? null : text.startsWith("\uFEFF") ? text.substring(1) : text;
        } catch (CharacterCodingException e) {
            return null;
        }
    }

    private static @Nullable Instant date(ZipArchiveEntry entry) {
        var date = entry.getLastModifiedDate() == null
                ? null
                : entry.getLastModifiedDate().toInstant();
        return date == null || date.isBefore(NO_DATE) ? null : date;
    }
}
