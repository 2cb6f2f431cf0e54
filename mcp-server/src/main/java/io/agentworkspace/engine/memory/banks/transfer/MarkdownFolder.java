package io.agentworkspace.engine.memory.banks.transfer;

import io.agentworkspace.engine.kernel.scheduling.StepAllowance;
import io.agentworkspace.engine.memory.banks.transfer.ImportReport.RefusedLine;
import io.agentworkspace.engine.memory.banks.transfer.source.MarkdownSections;
import io.agentworkspace.engine.memory.banks.transfer.source.Section;
import io.agentworkspace.engine.memory.banks.transfer.source.Utf8;
import io.agentworkspace.engine.memory.banks.transfer.source.ZipFolder;
import io.agentworkspace.engine.model.problem.Problem;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import org.apache.commons.compress.utils.SeekableInMemoryByteChannel;

/**
 * The sections of a Markdown text, or of a folder of them as a zip.
 *
 * @param skipped the files that are not Markdown, or cannot be read
 */
record MarkdownFolder(List<Section> sections, List<RefusedLine> skipped) {
    /** The maximum size of a zip or a text, in bytes. */
    static final int MOST_BYTES = 8 << 20;

    /** The maximum size of all files of a zip together, in bytes. */
    private static final int MOST_UNPACKED = 32 << 20;

    private static final ZipFolder.Bounds BOUNDS = new ZipFolder.Bounds(2_000, MOST_UNPACKED);

    /** How many characters are read: more than any import has, so it ends only when the client has gone. */
    private static final long MOST_STEPS = 4L * MOST_UNPACKED;

    private static final Pattern MARKDOWN = Pattern.compile(".*\\.(md|mdc|markdown)", Pattern.CASE_INSENSITIVE);
    private static final Pattern ARCHIVE =
            Pattern.compile(".*\\.(zip|jar|tar|tgz|gz|bz2|xz|7z|rar|zst)", Pattern.CASE_INSENSITIVE);

    static MarkdownFolder ofText(byte[] text) {
        if (text.length > MOST_BYTES) {
            throw Problem.tooLarge("the text", text.length, MOST_BYTES, "bytes or more");
        }
        var decoded = Utf8.decoded(text);
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
        try (var folder = ZipFolder.open(new SeekableInMemoryByteChannel(zip), BOUNDS)) {
            return read(folder);
        } catch (IOException e) {
            throw Problem.invalid("the zip", "must be complete: this one cannot be read");
        }
    }

    private static StepAllowance allowance() {
        return new StepAllowance(MOST_STEPS, () -> Problem.invalid("data", "takes too long to divide into sections"));
    }

    private static MarkdownFolder read(ZipFolder folder) throws IOException {
        var reader = new MarkdownSections(allowance());
        var skipped = new ArrayList<RefusedLine>();
        for (var file : folder.files()) {
            if (ARCHIVE.matcher(file.path()).matches()) {
                throw ZipFolder.invalid(file.path(), "must not be an archive: unpack it first");
            }
        }
        for (var file : folder.files()) {
            var path = file.path();
            if (!MARKDOWN.matcher(path).matches()) {
                skipped.add(new RefusedLine(
                        1, ZipFolder.excerpt(path), "is not Markdown: only .md, .mdc and .markdown are imported"));
                continue;
            }
            try (var in = folder.open(file)) {
                var text = Utf8.decoded(in.readAllBytes());
                if (text == null) {
                    skipped.add(new RefusedLine(1, ZipFolder.excerpt(path), "is not valid UTF-8"));
                } else {
                    reader.read(path, text, file.date());
                }
            }
        }
        return new MarkdownFolder(reader.sections(), skipped);
    }
}
