package io.agentworkspace.engine.memory.banks.transfer.formats;

import io.agentworkspace.engine.memory.banks.transfer.source.ImportSource;
import io.agentworkspace.engine.model.problem.Problem;
import java.io.IOException;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/** All formats of other products. */
public final class Formats {
    public static final String AUTO = "auto";

    private static final ImportFormat VAULT = new NotesFormat(NotesFormat.Product.OBSIDIAN);

    /** In the order in which they are tried: those with a distinct shape first. */
    private static final List<ImportFormat> ALL = List.of(
            new ChatGptFormat(),
            new ClaudeFormat(),
            new LettaFormat(),
            new MemoryServerFormat(),
            new ZepFormat(),
            new Mem0Format(),
            new GeminiFormat(),
            new CsvTableFormat(),
            new NotesFormat(NotesFormat.Product.BASIC_MEMORY),
            VAULT);

    private Formats() {}

    /** Returns the words of all formats here. */
    public static List<String> words() {
        return Stream.concat(Stream.of(AUTO), ALL.stream().map(ImportFormat::word))
                .toList();
    }

    /**
     * What was sent, as it was read.
     *
     * @param word its format
     * @param product what people call that
     * @param records what it contains; null if the engine has a format of its own for it
     */
    public record Reading(
            String word, String product, @Nullable Records records) {}

    /** A format of the engine's own, which needs no reading as a whole. */
    public enum OwnFormat {
        ENGINE("engine", "an export of a bank"),
        JSONL("jsonl", "JSON lines with text"),
        MARKDOWN("markdown", "Markdown");

        private final String word;
        private final String product;

        private boolean isOfLines() {
            return this != MARKDOWN;
        }

        OwnFormat(String word, String product) {
            this.word = word;
            this.product = product;
        }
    }

    /**
     * Reads what was sent.
     *
     * @param word the format, {@code auto}, or {@code markdown}
     * @throws Problem {@code invalid_field} if it has not the format, or none that is known
     */
    public static Reading read(String word, ImportSource source, @Nullable CsvMapping mapping, Instant now)
            throws IOException {
        source.unpack();
        if (word.equals(AUTO)) {
            return recognised(source, mapping, now);
        } else if (word.equals(OwnFormat.MARKDOWN.word)) {
            return markdown(source, now);
        }
        var format = ALL.stream()
                .filter(each -> each.word().equals(word))
                .findFirst()
                .orElseThrow();
        return read(format, source, mapping, now);
    }

    /** Notes that this engine exported have more than their text: they are read as those of a vault. */
    private static Reading markdown(ImportSource source, Instant now) throws IOException {
        return NotesFormat.isExport(source)
                ? read(VAULT, source, null, now)
                : new Reading(OwnFormat.MARKDOWN.word, OwnFormat.MARKDOWN.product, null);
    }

    private static Reading recognised(ImportSource source, @Nullable CsvMapping mapping, Instant now)
            throws IOException {
        var sampled = new Sampled(source, ALL);
        for (var format : ALL) {
            if (format.recognises(source, sampled)) {
                return read(format, source, mapping, now);
            }
        }
        var own = own(source, sampled).orElseThrow(() -> unknown(sampled));
        return new Reading(own.word, own.product, own.isOfLines() && !isLines(source) ? records(source, now) : null);
    }

    private static Problem unknown(Sampled sampled) {
        var fault = sampled.fault().map(" (%s)"::formatted).orElse("");
        return Problem.invalid(
                "data",
                "has no format that is recognised%s; it is one of %s, or choose engine, jsonl or markdown"
                        .formatted(fault, String.join(", ", words().subList(1, words().size()))));
    }

    /** Returns whether each line is an entry: else they are an array, or are written over several lines. */
    private static boolean isLines(ImportSource source) throws IOException {
        return source.parts().getFirst().isLines();
    }

    /** Reads entries of the engine's own format that are not lines. */
    private static Records records(ImportSource source, Instant now) throws IOException {
        var records = new Records(now);
        var part = source.parts().getFirst();
        part.values(value -> {
            if (value.json() instanceof ObjectNode entry) {
                records.line(entry, part.place(value.number()));
            } else {
                records.refuse(
                        value.fault() == null ? "the entry is not an object" : value.fault(),
                        part.place(value.number()));
            }
            return true;
        });
        return records;
    }

    private static Reading read(ImportFormat format, ImportSource source, @Nullable CsvMapping mapping, Instant now)
            throws IOException {
        var records = new Records(now);
        format.read(source, mapping == null ? CsvMapping.NONE : mapping, records);
        if (records.isEmpty()) {
            throw Problem.invalid(
                    "data", "has no memories or conversations in the format of %s".formatted(format.product()));
        }
        return new Reading(format.word(), format.product(), records);
    }

    private static Optional<OwnFormat> own(ImportSource source, Sampled sampled) throws IOException {
        if (source.isFolder()) {
            return source.parts().stream().anyMatch(part -> NotesFormat.isMarkdown(part.path()))
                    ? Optional.of(OwnFormat.MARKDOWN)
                    : Optional.empty();
        }
        var part = source.parts().getFirst();
        if (part.isJson()) {
            return sampled.own();
        }
        var text = part.text(NotesFormat.MOST_BYTES);
        return text == null || text.isBlank() ? Optional.empty() : Optional.of(OwnFormat.MARKDOWN);
    }

    static Optional<OwnFormat> own(JsonNode entry) {
        if (!entry.path("text").isString()) {
            return Optional.empty();
        }
        var isExport = entry.has("id") && entry.has("revision");
        return Optional.of(isExport ? OwnFormat.ENGINE : OwnFormat.JSONL);
    }
}
