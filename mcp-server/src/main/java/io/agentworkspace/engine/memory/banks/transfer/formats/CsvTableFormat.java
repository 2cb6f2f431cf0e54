package io.agentworkspace.engine.memory.banks.transfer.formats;

import io.agentworkspace.engine.memory.banks.transfer.exported.ExportedTable;
import io.agentworkspace.engine.memory.banks.transfer.source.ImportSource;
import io.agentworkspace.engine.memory.banks.transfer.source.Place;
import io.agentworkspace.engine.memory.documents.extract.CsvFormat;
import io.agentworkspace.engine.memory.documents.extract.Rejection;
import io.agentworkspace.engine.model.json.Json;
import io.agentworkspace.engine.model.problem.Failure;
import io.agentworkspace.engine.model.problem.Problem;
import java.io.IOException;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** A table as CSV, with a header. A mapping names the columns of a memory's fields; else they are found by their usual names. */
final class CsvTableFormat implements ImportFormat {
    private static final int MOST_BYTES = 32 << 20;

    /** How much of a table is looked at to recognise it, in bytes. */
    private static final int SAMPLE = 1 << 16;

    /** How many tables of a folder are looked at. */
    private static final int MOST_TABLES = 20;

    private static final List<String> TEXT =
            List.of("text", "memory", "content", "note", "fact", "observation", "value", "body", "description");
    private static final List<String> NAME = List.of("name", "title", "key", "label");
    private static final List<String> TAGS = List.of("tags", "tag", "categories", "category", "labels");
    private static final List<String> AUTHOR = List.of("author", "user", "user_id", "created_by");
    private static final List<String> TIME =
            List.of("created_at", "created", "date", "time", "timestamp", "createdat", "create_time");

    @Override
    public String word() {
        return "csv";
    }

    @Override
    public String product() {
        return "CSV";
    }

    @Override
    public boolean recognises(ImportSource source, Sampled sampled) throws IOException {
        if (source.isFolder() && source.parts().stream().anyMatch(part -> NotesFormat.isMarkdown(part.path()))) {
            return false;
        }
        for (var part : source.parts().stream()
                .filter(each -> isCandidate(source, each))
                .limit(MOST_TABLES)
                .toList()) {
            if (!part.isJson() && isTable(part.head(SAMPLE))) {
                return true;
            }
        }
        return false;
    }

    /** Returns whether the text has the shape of a table, with a column for the text of a memory. */
    private static boolean isTable(String text) {
        return CsvFormat.of(text)
                .flatMap(format -> header(text, format))
                .map(header -> find(header, null, TEXT) != null)
                .orElse(false);
    }

    private static boolean isCandidate(ImportSource source, ImportSource.Part part) {
        return !source.isFolder() || part.path().matches("(?i).*\\.(csv|tsv)");
    }

    private static Optional<List<String>> header(String text, CsvFormat format) {
        try {
            return new CsvFormat.Reader(text, format).next().map(CsvFormat.Row::cells);
        } catch (Rejection e) {
            return Optional.empty();
        }
    }

    /** Returns the number of the column that is named, or of the first usual name; null if there is none. */
    private static @Nullable Integer find(List<String> header, @Nullable String named, List<String> usual) {
        var titles = header.stream()
                .map(title -> title.strip().toLowerCase(Locale.ROOT))
                .toList();
        var wanted = named == null ? usual : List.of(named.strip().toLowerCase(Locale.ROOT));
        return wanted.stream()
                .map(titles::indexOf)
                .filter(at -> at >= 0)
                .findFirst()
                .orElse(null);
    }

    @Override
    public void read(ImportSource source, CsvMapping mapping, Records out) throws IOException {
        for (var part : source.parts()) {
            if (!isCandidate(source, part)) {
                out.leaveOut("a file that is not CSV was left out", part.place(1));
                continue;
            }
            var text = part.text(MOST_BYTES);
            if (text == null) {
                out.refuse("a table is not UTF-8, or has more than %,d bytes".formatted(MOST_BYTES), part.place(1));
            } else {
                tableOf(source, part, text, mapping, out);
            }
        }
    }

    /** One table of a folder that cannot be mapped does not end the import of the others. */
    private static void tableOf(
            ImportSource source, ImportSource.Part part, String text, CsvMapping mapping, Records out) {
        try {
            table(part, text, mapping, out);
        } catch (Problem problem) {
            if (!source.isFolder() || problem.failure() != Failure.INVALID_FIELD) {
                throw problem;
            }
            out.refuse("a table cannot be mapped: " + problem.note(), part.place(1));
        }
    }

    private static void table(ImportSource.Part part, String text, CsvMapping mapping, Records out) {
        var reader = new CsvFormat.Reader(text, CsvFormat.called(text));
        var line = 1;
        try {
            var header = reader.next().map(CsvFormat.Row::cells).orElse(List.of());
            var columns = new Columns(
                    header,
                    required(header, mapping),
                    column(header, "name", mapping.name(), NAME),
                    column(header, "tags", mapping.tags(), TAGS),
                    column(header, "author", mapping.author(), AUTHOR),
                    column(header, "created_at", mapping.createdAt(), TIME));
            for (var row = reader.next(); row.isPresent(); row = reader.next()) {
                line = row.get().line();
                columns.take(row.get(), part.place(line), out);
            }
        } catch (Rejection e) {
            out.refuse("the table cannot be read from here on: " + e.getMessage(), part.place(line));
        }
    }

    private static int required(List<String> header, CsvMapping mapping) {
        return Optional.ofNullable(column(header, "text", mapping.text(), TEXT))
                .orElseThrow(() -> Problem.invalid(
                        "mapping.text", "must name the column of the text, one of: " + String.join(", ", header)));
    }

    private static @Nullable Integer column(
            List<String> header, String field, @Nullable String named, List<String> usual) {
        var found = find(header, named, usual);
        if (found == null && named != null) {
            throw Problem.invalid("mapping." + field, "must be a column of the table: " + String.join(", ", header));
        }
        return found;
    }

    /** Where the fields of a memory are. */
    private record Columns(
            List<String> header,
            int text,
            @Nullable Integer name,
            @Nullable Integer tags,
            @Nullable Integer author,
            @Nullable Integer time) {
        void take(CsvFormat.Row row, Place at, Records out) {
            var isOwn = ExportedTable.isOwn(header);
            var cells = isOwn ? row.cells().stream().map(ExportedTable::read).toList() : row.cells();
            if (cells.stream().allMatch(String::isBlank)) {
                return;
            } else if (isOwn
                    && !cell(cells, header.indexOf(ExportedTable.SUPERSEDED_BY)).isBlank()) {
                out.leaveOut(Records.SUPERSEDED, at);
                return;
            }
            var draft = new MemoryDraft("CSV", cell(cells, text), at)
                    .name(name == null ? null : Labels.memoryName(cell(cells, name)))
                    .tags(
                            tags == null
                                    ? List.of()
                                    : Labels.tags(List.of(cell(cells, tags).split("[,;|]"))));
            if (author != null) {
                draft.author(Json.valueTree(cell(cells, author)));
            }
            if (time != null && !cell(cells, time).isBlank()) {
                draft.created(Json.object().put("created_at", cell(cells, time)), "created_at");
            }
            var expiry = isOwn ? cell(cells, header.indexOf(ExportedTable.EXPIRES_AT)) : "";
            if (!expiry.isBlank()) {
                draft.expires(Json.object().put(ExportedTable.EXPIRES_AT, expiry), ExportedTable.EXPIRES_AT);
            }
            rest(cells).forEach((title, value) -> draft.origin(title, value));
            out.memory(draft);
        }

        private static String cell(List<String> cells, int column) {
            return column < cells.size() ? cells.get(column) : "";
        }

        private Map<String, String> rest(List<String> cells) {
            var rest = new java.util.LinkedHashMap<String, String>();
            for (var i = 0; i < header.size(); i++) {
                var isKnown = i == text || isAt(name, i) || isAt(tags, i) || isAt(author, i) || isAt(time, i);
                if (!isKnown && !header.get(i).isBlank()) {
                    rest.put(header.get(i).strip(), cell(cells, i));
                }
            }
            return rest;
        }

        private static boolean isAt(@Nullable Integer column, int i) {
            return column != null && column == i;
        }
    }
}
