package io.agentworkspace.engine.memory.banks.transfer.exported;

import java.time.Instant;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * A table with a memory in each row, as RFC 4180 describes it. Lists have a space between their values, tags a comma.
 */
final class CsvExport implements ExportFormat {
    @Override
    public String mediaType() {
        return "text/csv; charset=utf-8";
    }

    @Override
    public Optional<FilePart> begin() {
        return Optional.of(FilePart.of(ExportedTable.HEADER + "\r\n"));
    }

    @Override
    public Optional<FilePart> part(ExportedMemory memory, Instant now) {
        var line = memory.line();
        var row = Stream.of(
                        line.id(),
                        memory.held(),
                        line.text(),
                        String.join(",", line.tags()),
                        line.author(),
                        line.editor(),
                        line.document() == null ? null : line.document().name(),
                        String.join(" ", Objects.requireNonNullElse(line.derivedFrom(), List.<String>of())),
                        line.supersedes(),
                        line.reason(),
                        line.supersededBy(),
                        line.expiresAt(),
                        line.pinned(),
                        line.revision(),
                        line.createdAt(),
                        line.updatedAt())
                .map(CsvExport::cell)
                .collect(Collectors.joining(","));
        return Optional.of(FilePart.of(row + "\r\n"));
    }

    private static String cell(@Nullable Object value) {
        var text = ExportedTable.written(value == null ? "" : value.toString());
        return text.chars().anyMatch(c -> c == ',' || c == '"' || c == '\n' || c == '\r')
                ? '"' + text.replace("\"", "\"\"") + '"'
                : text;
    }
}
