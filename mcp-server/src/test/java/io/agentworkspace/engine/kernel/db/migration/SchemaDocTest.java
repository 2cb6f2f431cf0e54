package io.agentworkspace.engine.kernel.db.migration;

import static java.util.stream.Collectors.groupingBy;
import static java.util.stream.Collectors.joining;
import static java.util.stream.Collectors.toMap;
import static org.assertj.core.api.Assertions.assertThat;

import io.agentworkspace.engine.testing.Repository;
import io.agentworkspace.engine.testing.TestDatabase;
import java.io.IOException;
import java.nio.file.Files;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/**
 * A page about the schema, generated from the catalogue of a database into {@code mcp-server/target/docs/schema.md}. The files of
 * the baseline are its sections.
 */
class SchemaDocTest {
    private static final Pattern TABLE = Pattern.compile("^CREATE (?:UNLOGGED )?TABLE (\\w+) \\($", Pattern.MULTILINE);

    private final SchemaCatalog catalog = new SchemaCatalog(TestDatabase.db());
    private final Map<String, SchemaCatalog.Table> tables =
            catalog.tables().stream().collect(toMap(SchemaCatalog.Table::name, Function.identity()));
    private final Map<String, List<SchemaCatalog.Column>> columns =
            catalog.columns().stream().collect(groupingBy(SchemaCatalog.Column::table));
    private final Map<String, List<SchemaCatalog.Trigger>> triggers =
            catalog.triggers().stream().collect(groupingBy(SchemaCatalog.Trigger::table));

    @Test
    void everyTableAndTriggerSaysWhatItIsFor() {
        assertThat(catalog.tables())
                .hasSizeGreaterThan(50)
                .allSatisfy(
                        table -> assertThat(table.sentence()).as(table.name()).isNotBlank());
        assertThat(catalog.triggers())
                .isNotEmpty()
                .allSatisfy(trigger -> assertThat(trigger.sentence())
                        .as("%s of %s", trigger.name(), trigger.table())
                        .isNotBlank());
    }

    @Test
    void thePageHasEveryTable() throws IOException {
        var page = new StringBuilder(
                """
                # The schema

                Generated from the catalogue by `SchemaDocTest`. The sentences are COMMENTs in the schema.

                A database is created from the files in `mcp-server/src/main/resources/db/baseline`, one for each section of this page.
                `db.migration/Migrations` runs them, and then what later releases add. There are %d tables and
                %d triggers.

                - Every table of a tenant has `tenant_id` first in its primary key, and every query contains it.
                - `name_key` is a name as names are compared. `revision` counts changes, and an update may require one. `…_at` is a moment.
                - A column is required unless it says *optional*. An arrow leads to the table that a column references.
                - No trigger announces anything to clients, and a trigger exists only for what applies whatever writes to its table.
                """.formatted(tables.size(), catalog.triggers().size()));
        for (var file : Baseline.FILES) {
            page.append(section(file));
        }
        assertThat(tables.keySet())
                .allMatch(name -> page.indexOf("\n### " + name + "\n") > 0, "is in a file of the baseline");
        var file = Repository.file("mcp-server/target/docs/schema.md");
        Files.createDirectories(file.getParent());
        Files.writeString(file, page);
    }

    private String section(String file) {
        var sql = Repository.text(Repository.file("mcp-server/src/main/resources/db/baseline/" + file + ".sql"));
        var names = TABLE.matcher(sql).results().map(match -> match.group(1)).toList();
        var title = file.substring(3).replace('_', ' ').replace("mcp", "MCP");
        var text = new StringBuilder("\n## %s%s\n\n%s\n\n%s"
                .formatted(
                        title.substring(0, 1).toUpperCase(java.util.Locale.ROOT),
                        title.substring(1),
                        sql.lines().findFirst().orElseThrow().replaceFirst("-- ", ""),
                        diagram(names)));
        names.forEach(name -> text.append(table(name)));
        return text.toString();
    }

    /** Returns the tables of a section with what they reference. References to the tenant are left out: nearly all have one. */
    private String diagram(List<String> names) {
        var lines = names.stream()
                .flatMap(name -> columns.get(name).stream())
                .filter(column -> column.target() != null && !column.name().equals("tenant_id"))
                .flatMap(column -> List.of(column.target().split(", ")).stream()
                        .map(target -> "    %s %s--o{ %s : %s\n"
                                .formatted(target, column.required() ? "||" : "|o", column.table(), column.name())));
        return "```mermaid\nerDiagram\n%s%s```\n"
                .formatted(names.stream().map("    %s\n"::formatted).collect(joining()), lines.collect(joining()));
    }

    private String table(String name) {
        var text = new StringBuilder("\n### %s\n\n%s\n\n| column | type | contents |\n|---|---|---|\n"
                .formatted(name, tables.get(name).sentence()));
        for (var column : columns.get(name)) {
            text.append("| `%s` | %s%s | %s |\n"
                    .formatted(
                            column.name(),
                            column.type().replace("timestamp with time zone", "timestamptz"),
                            column.required() ? "" : ", *optional*",
                            contents(column)));
        }
        var lines = triggers.getOrDefault(name, List.of()).stream()
                .map(trigger ->
                        "- trigger `%s`, %s: %s\n".formatted(trigger.name(), moment(trigger), trigger.sentence()))
                .collect(joining());
        return text.append(lines.isEmpty() ? "" : "\n" + lines).toString();
    }

    private static String contents(SchemaCatalog.Column column) {
        var target = column.target() == null || column.name().equals("tenant_id") ? "" : "→ " + column.target();
        var sentence = column.sentence() == null
                ? ""
                : column.sentence().replace("|", "\\|").replace("<", "&lt;");
        return target + (target.isEmpty() || sentence.isEmpty() ? "" : ". ") + sentence;
    }

    /** Returns when it runs, in lower case but for the names of columns, such as "after update of plan". */
    private static String moment(SchemaCatalog.Trigger trigger) {
        return Pattern.compile("[A-Z]{2,}")
                .matcher(trigger.moment())
                .replaceAll((MatchResult match) -> match.group().toLowerCase(java.util.Locale.ROOT));
    }
}
